// The published strategies decide exactly as published: every message that hands out work, for
// eight tasks of one second on three nodes, of which the first is twice as fast.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/simulation.h"

namespace evenkeel {
namespace {

using model::StrategyName;
using model::TimelineEvent;
using simulator::Outcome;
using simulator::Simulation;
using simulator::SimulationConfig;

struct TinyRun {
  std::vector<std::string> decisions;  // "tenths of a second: message"
  Outcome outcome;
};

bool HandsOut(const std::string& line) {
  return line.find(" <- assign") != std::string::npos ||
         line.find(" <- recall") != std::string::npos ||
         line.find(" -> give-back") != std::string::npos;
}

TinyRun RunTiny(StrategyName strategy, bool dedicated_coordinator = false) {
  SimulationConfig simulation;
  simulation.true_costs.assign(8, 1.0);
  simulation.job.workload = simulation.job.name = "tiny";
  simulation.job.balancing.strategy = strategy;
  simulation.job.balancing.master_slave.dedicated_coordinator = dedicated_coordinator;
  simulation.job.balancing.modified_master_slave.dedicated_coordinator = dedicated_coordinator;
  for (const double speed : {2.0, 1.0, 1.0}) {
    simulator::NodeModel node;
    node.name = "n" + std::to_string(simulation.nodes.size());
    node.ratio = speed;
    node.speed = simulator::SpeedProfile(speed);
    simulation.nodes.push_back(node);
  }
  TinyRun run;
  simulation.trace = [&run](const std::string& line) {
    if (!HandsOut(line)) return;
    const double seconds = std::stod(line);
    const auto tenths = static_cast<int>(seconds * 10);
    run.decisions.push_back(std::to_string(tenths) + ": " + line.substr(line.find('n')));
  };
  run.outcome = Simulation(simulation).Run();
  EXPECT_EQ(run.outcome.state, model::JobState::kComplete);
  return run;
}

using Lines = std::vector<std::string>;

TEST(Published, DomainDecompositionSharesOutOnceAndEqually) {
  const TinyRun run = RunTiny(StrategyName::kDomainDecomposition);
  EXPECT_EQ(run.decisions, (Lines{"0: n0 <- assign [0,3)#1", "0: n1 <- assign [3,6)#2",
                                  "0: n2 <- assign [6,8)#3"}));
  EXPECT_NEAR(ToSeconds(run.outcome.makespan), 3.0, 0.01);
}

TEST(Published, MasterSlaveHandsOutOneByOneAndTheMasterDoesNotCompute) {
  const TinyRun run = RunTiny(StrategyName::kMasterSlave);
  EXPECT_EQ(run.decisions, (Lines{"0: n1 <- assign [0,1)#1", "0: n2 <- assign [1,2)#2",
                                  "10: n1 <- assign [2,3)#3", "10: n2 <- assign [3,4)#4",
                                  "20: n1 <- assign [4,5)#5", "20: n2 <- assign [5,6)#6",
                                  "30: n1 <- assign [6,7)#7", "30: n2 <- assign [7,8)#8"}));
  EXPECT_EQ(run.outcome.busy_seconds[0], 0);
}

TEST(Published, MasterSlaveWithADedicatedCoordinatorUsesAllNodes) {
  const TinyRun run = RunTiny(StrategyName::kMasterSlave, true);
  EXPECT_EQ(run.decisions, (Lines{"0: n0 <- assign [0,1)#1", "0: n1 <- assign [1,2)#2",
                                  "0: n2 <- assign [2,3)#3", "5: n0 <- assign [3,4)#4",
                                  "10: n1 <- assign [4,5)#5", "10: n2 <- assign [5,6)#6",
                                  "10: n0 <- assign [6,7)#7", "15: n0 <- assign [7,8)#8"}));
}

TEST(Published, InterleavedDealsByPseudoRanks) {
  // Weights 2, 1, 1: pseudo-ranks 0 and 1 are those of nodes 1 and 2, 2 and 3 those of node 0.
  const TinyRun run = RunTiny(StrategyName::kInterleaved);
  EXPECT_EQ(run.decisions,
            (Lines{"0: n0 <- assign [2,4)#1 [6,8)#2", "0: n1 <- assign [0,1)#3 [4,5)#4",
                   "0: n2 <- assign [1,2)#5 [5,6)#6"}));
}

TEST(Published, AdaptiveIterativeFollowsItsFormulaFromRoundToRound) {
  const TinyRun run = RunTiny(StrategyName::kAdaptiveIterative);
  // One task each takes 0.5, 1 and 1 s, 0.83 s on average: then 1.67, 0.83 and 0.83 are due. That
  // round is balanced; one task is left for the last.
  EXPECT_EQ(run.decisions,
            (Lines{"0: n0 <- assign [0,1)#1", "0: n1 <- assign [1,2)#2", "0: n2 <- assign [2,3)#3",
                   "10: n0 <- assign [3,5)#4", "10: n1 <- assign [5,6)#5",
                   "10: n2 <- assign [6,7)#6", "20: n0 <- assign [7,8)#7"}));
  ASSERT_EQ(run.outcome.stages.size(), 3u);
  EXPECT_EQ(run.outcome.stages[2].detail, "3");
  EXPECT_NEAR(ToSeconds(run.outcome.makespan), 2.5, 0.02);
}

TEST(Published, ModifiedMasterSlaveGoesThroughItsThreeStages) {
  const TinyRun run = RunTiny(StrategyName::kModifiedMasterSlave);
  constexpr const char* kAll = " of 9223372036854775807";
  EXPECT_EQ(run.decisions,
            (Lines{"0: n0 <- assign [0,3)#1", "0: n1 <- assign [3,6)#2", "0: n2 <- assign [6,8)#3",
                   std::string("15: n1 <- recall 1") + kAll,
                   std::string("15: n2 <- recall 2") + kAll, "15: n1 -> give-back 1 [5,6)#2",
                   "15: n2 -> give-back 2", "20: n1 <- assign [5,6)#4"}));

  const auto& stages = run.outcome.stages;
  ASSERT_EQ(stages.size(), 4U);
  const double starts[] = {0, 1.5, 2.0, 2.0};
  const double ends[] = {1.5, 2.0, 3.0, 3.0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(ToSeconds(stages[i].start), starts[i], 0.01) << i;
    EXPECT_NEAR(ToSeconds(stages[i].end), ends[i], 0.01) << i;
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(stages[i].detail, std::to_string(i + 1));
  EXPECT_EQ(stages[3].kind, TimelineEvent::Kind::kMaster);
  EXPECT_EQ(stages[3].node, "n0");
  EXPECT_NEAR(run.outcome.busy_seconds[0], 1.5, 0.01) << "the master is idle in stage 3";
}

}  // namespace
}  // namespace evenkeel
