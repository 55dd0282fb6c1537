#pragma once

#include <cstdint>
#include <vector>

#include "simulator/scenario.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// Draws the simulation of one repetition. The result depends only on the scenario and `seed`, so
/// all variants get the same tasks, nodes and faults.
[[nodiscard]] SimulationConfig DrawSimulation(const Scenario& scenario, std::uint64_t seed);

/// Removes the nodes that are not `kept`, which has one entry a node, and their faults. No task may
/// be at a node, and no node may be linked; ParseScenario checks that.
void KeepNodes(const std::vector<bool>& kept, SimulationConfig& simulation);

/// The speed of a thread of each node over time; 0 while the node is away.
[[nodiscard]] std::vector<SpeedProfile> Capacities(const SimulationConfig& simulation);

/// Lower bound of the makespan in seconds: the maximum of the time in which all nodes together do
/// the work, with their speeds over time and arbitrarily divisible tasks, and of the longest task
/// on the fastest node.
[[nodiscard]] double LowerBound(const SimulationConfig& simulation);

}  // namespace evenkeel::simulator
