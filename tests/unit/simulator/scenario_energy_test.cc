#include <gtest/gtest.h>

#include "simulator/scenario_parsing.h"
#include "simulator/scenario_run.h"
#include "workloads/built_in.h"

namespace evenkeel::simulator {
namespace {

Result<Scenario> WithNodes(const std::string& nodes, const std::string& more = "") {
  return ParseScenario(
      "name: x\ntasks: {count: 40, seconds: 1, costsTold: true}\nnodes: [" + nodes + "]\n" + more,
      "s.yaml", ".", workloads::BuiltInWorkloads());
}

ScenarioRun RunFirst(const Scenario& scenario) {
  return Repetition(scenario, 1).Run(scenario.variants.at(0));
}

// 40 s of work on two boards of speed 1 take 20 s on each, at 3 W above idle.
TEST(ScenarioEnergy, JoulesAreThoseAboveIdle) {
  const auto scenario = WithNodes("{name: n, count: 2, speed: 1, watts: 5, idleWatts: 2}");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_NEAR(RunFirst(*scenario).joules.value(), 40 * 3, 0.1);
}

TEST(ScenarioEnergy, EnergyIsUnknownIfTheWattsOfANodeAreUnknown) {
  const auto scenario = WithNodes("{name: a, speed: 1, watts: 5}, {name: b, speed: 1}");
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_FALSE(RunFirst(*scenario).joules);
}

TEST(ScenarioEnergy, ObjectiveEnergyLeavesOutNodesThatItDoesNotNeed) {
  const auto scenario =
      WithNodes("{name: dear, speed: 1, watts: 50}, {name: frugal, speed: 1, watts: 5}",
                "balancing: {objective: Energy, energy: {timeFactor: 3}}\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  const ScenarioRun run = RunFirst(*scenario);
  EXPECT_NEAR(run.joules.value(), 40 * 3, 0.1);  // idle power is 0.4 of 5 W
  EXPECT_GT(run.makespan_seconds, 40);
  EXPECT_NEAR(run.lower_bound_seconds, 20, 0.1);  // of all nodes
}

TEST(ScenarioEnergy, FaultsStayWithTheirNodes) {
  SimulationConfig simulation;
  simulation.job.balancing.objective = model::Objective::kEnergy;
  simulation.job.balancing.energy.time_factor = 3;
  for (const double watts : {50.0, 5.0, 5.0}) {
    NodeModel node;
    node.power = model::NodePower{watts, 0};
    simulation.nodes.push_back(node);
  }
  for (const std::size_t node : {0u, 2u}) {
    simulation.faults.push_back({Fault::Kind::kKillWorker, node, {}, {}, {}});
  }
  LeaveOutForEnergy(simulation);
  ASSERT_EQ(simulation.nodes.size(), 2u);
  ASSERT_EQ(simulation.faults.size(), 1u);
  EXPECT_EQ(simulation.faults[0].node, 1u);
  EXPECT_NEAR(simulation.left_out_ratio, 1, 1e-9);
}

TEST(ScenarioEnergy, TheChoiceIsAmongThoseExpected) {
  const auto scenario = WithNodes(
      "{name: late, speed: 1, watts: 1, expected: false, joins: 1}, {name: dear, speed: 1, watts: "
      "50}, {name: frugal, speed: 1, watts: 5}",
      "balancing: {objective: Energy, energy: {timeFactor: 3}}\n");
  ASSERT_TRUE(scenario) << scenario.error().message;
  // The frugal one begins, and the one that joins takes half of the rest: 20 and 20 tasks.
  EXPECT_NEAR(RunFirst(*scenario).makespan_seconds, 21, 0.1);
}

TEST(ScenarioEnergy, ObjectiveEnergyNeedsWatts) {
  const auto refused = WithNodes("{name: a, speed: 1}", "balancing: {objective: Energy}\n");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("s.yaml: nodes: must have watts"), std::string::npos);
  const auto idle = WithNodes("{name: a, speed: 1, idleWatts: 3}");
  ASSERT_FALSE(idle);
  EXPECT_NE(idle.error().message.find("idleWatts: is allowed only beside watts"),
            std::string::npos);
}

}  // namespace
}  // namespace evenkeel::simulator
