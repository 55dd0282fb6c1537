#pragma once

#include <cstdint>
#include <vector>

#include "simulator/scenario.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// Draws the simulation of one repetition. The result depends on the scenario and `seed` alone, so
/// that all variants meet the same tasks, nodes and faults.
[[nodiscard]] SimulationConfig DrawSimulation(const Scenario& scenario, std::uint64_t seed);

/// Removes the other nodes and their faults; `kept` has an entry a node. Only
/// where no task is at a node and none of them is linked: ParseScenario sees to that.
void KeepOnly(const std::vector<bool>& kept, SimulationConfig& simulation);

/// The speed of a thread of each node over time; 0 while the node is away.
[[nodiscard]] std::vector<SpeedProfile> Capacities(const SimulationConfig& simulation);

/// Lower bound of the makespan in seconds: the time in which all nodes together could do the work,
/// at the speeds that they have over time, if tasks could be divided at will; or the longest task
/// on the fastest node, if that is longer.
[[nodiscard]] double LowerBound(const SimulationConfig& simulation);

}  // namespace evenkeel::simulator
