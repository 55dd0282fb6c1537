#pragma once

#include <optional>

#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// With objective Energy: takes those nodes away that get no work, as `evenkeel run` and the
/// operator do before a job begins, and their faults. Nodes that join without being expected are
/// not among those to choose from, and stay. Otherwise, or if no node's power is known, changes
/// nothing.
void LeaveOutForEnergy(SimulationConfig& simulation);

/// The energy of the job, counted as in docs/energy.md; nothing if the power of a node that ran
/// tasks is not known.
[[nodiscard]] std::optional<double> JoulesOfJob(const SimulationConfig& simulation,
                                                const Outcome& outcome);

}  // namespace evenkeel::simulator
