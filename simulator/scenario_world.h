#pragma once

#include <cstdint>
#include <vector>

#include "simulator/scenario.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// The world of one repetition. What is drawn depends on the scenario and `seed` alone, so that all
/// variants meet the same tasks, nodes and faults.
[[nodiscard]] SimulationConfig DrawWorld(const Scenario& scenario, std::uint64_t seed);

/// Takes the other nodes out of the world, with their faults; `kept` has an entry a node. Only
/// where no task is at a node and none of them is linked: ParseScenario sees to that.
void KeepOnly(const std::vector<bool>& kept, SimulationConfig& world);

/// The time in seconds that the tasks take at least, however they are shared out: their work over
/// what all nodes together can do while they are there, at the speeds that they have then; or the
/// longest task on the fastest node. As fast as a fluid: nothing is said of whole tasks.
[[nodiscard]] double LowerBound(const SimulationConfig& world);

}  // namespace evenkeel::simulator
