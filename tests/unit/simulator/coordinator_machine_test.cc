// The effect of a central node's processor and link, and of blocks that tasks share, on a job.
#include <gtest/gtest.h>

#include <string>

#include "simulator/simulation.h"

namespace evenkeel::simulator {
namespace {

constexpr double kMegabyte = 1e6;

/// Tasks of a second on equal nodes, all handed out at once; nothing else takes time.
SimulationConfig Quiet(std::size_t tasks, std::size_t nodes) {
  SimulationConfig simulation;
  simulation.true_costs.assign(tasks, 1.0);
  simulation.job.name = simulation.job.workload = "quiet";
  simulation.job.balancing.strategy = model::StrategyName::kDomainDecomposition;
  simulation.network.latency = Duration::zero();
  simulation.commit_latency = Duration::zero();
  for (std::size_t n = 0; n < nodes; ++n) {
    NodeModel node;
    node.name = "n" + std::to_string(n);
    simulation.nodes.push_back(node);
  }
  return simulation;
}

double Seconds(const SimulationConfig& simulation) {
  return ToSeconds(Simulation(simulation).Run().makespan);
}

TEST(CoordinatorMachine, NothingTakesTimeByDefault) { EXPECT_NEAR(Seconds(Quiet(4, 2)), 2, 1e-6); }

// The second node's tasks leave after the first one's: it begins after 4 s, and has two.
TEST(CoordinatorMachine, ItsProcessorHandlesMessagesInOrder) {
  SimulationConfig simulation = Quiet(4, 2);
  simulation.coordinator.seconds_a_task = 1;
  const Outcome outcome = Simulation(simulation).Run();
  EXPECT_NEAR(ToSeconds(outcome.makespan), 6, 1e-6);
  EXPECT_NEAR(outcome.coordinator_seconds, 4, 1e-6);
}

TEST(CoordinatorMachine, BytesTakeTimeEachWay) {
  SimulationConfig simulation = Quiet(1, 1);
  simulation.input_bytes = 3 * kMegabyte;
  simulation.result_bytes = kMegabyte;
  simulation.coordinator.seconds_a_byte_sent = 1 / kMegabyte;
  simulation.coordinator.seconds_a_byte_received = 2 / kMegabyte;
  const Outcome outcome = Simulation(simulation).Run();
  EXPECT_NEAR(ToSeconds(outcome.makespan), 3 + 1 + 2, 1e-6);
  EXPECT_NEAR(outcome.coordinator_bytes, 4 * kMegabyte, 1);
}

// Two nodes with links of 2 MB/s behind one of 2 MB/s: the second one's data come after the
// first's.
TEST(CoordinatorMachine, TheDataOfAllNodesPassItsLink) {
  SimulationConfig simulation = Quiet(2, 2);
  simulation.input_bytes = 2 * kMegabyte;
  for (auto& node : simulation.nodes) node.link_bytes_per_second = 2 * kMegabyte;
  EXPECT_NEAR(Seconds(simulation), 1 + 1, 1e-6);
  simulation.coordinator.link_bytes_per_second = 2 * kMegabyte;
  EXPECT_NEAR(Seconds(simulation), 2 + 1, 1e-6);
}

// A drained worker sends Goodbye; the coordinator reads it before it notices that the stream
// closed.
TEST(CoordinatorMachine, WhatCameBeforeTheEndOfAStreamIsRead) {
  SimulationConfig simulation = Quiet(8, 2);
  simulation.coordinator.seconds_a_message = 0.25;
  simulation.faults.push_back(
      {Fault::Kind::kDrainWorker, 0, std::chrono::milliseconds(2500), kForEver, {}});
  bool read = false;
  simulation.trace = [&read](const std::string& line) {
    read = read || line.find("n0 -> goodbye") != std::string::npos;
  };
  EXPECT_EQ(Simulation(simulation).Run().state, model::JobState::kComplete);
  EXPECT_TRUE(read);
}

/// A table of one row and four columns on two nodes: of the row's block both need a copy.
SimulationConfig TableOnTwoNodes(bool between_workers) {
  SimulationConfig simulation = Quiet(4, 2);
  simulation.blocks = BlockModel{4, 2 * kMegabyte, kMegabyte, between_workers};
  for (auto& node : simulation.nodes) node.link_bytes_per_second = kMegabyte;
  return simulation;
}

TEST(Blocks, EachLeavesTheCoordinatorOnceIfWorkersPassThemOn) {
  EXPECT_NEAR(Simulation(TableOnTwoNodes(false)).Run().coordinator_bytes, 8 * kMegabyte, 1);
  EXPECT_NEAR(Simulation(TableOnTwoNodes(true)).Run().coordinator_bytes, 6 * kMegabyte, 1);
}

// The row's block takes 2 s, then a column's each 1 s: tasks begin at 3 and 4 s and end at 5 s.
// From the other worker the row's block comes when that has it, at 2 s, and takes as long again.
TEST(Blocks, TasksWaitForTheirs) {
  EXPECT_NEAR(Seconds(TableOnTwoNodes(false)), 5, 1e-6);
  EXPECT_NEAR(Seconds(TableOnTwoNodes(true)), 7, 1e-6);
}

}  // namespace
}  // namespace evenkeel::simulator
