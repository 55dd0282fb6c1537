#include "simulator/scenario_drawing.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/scheduling/node_links.h"
#include "simulator/scenario_run.h"

namespace evenkeel::simulator {
namespace {

Scenario TenTasksOnTwoNodes() {
  Scenario scenario;
  scenario.name = "ten";
  scenario.tasks.costs = DrawnCosts{10, Constant{1}};
  NodeGroup group;
  group.name = "n";
  group.count = 2;
  group.speed = Constant{2};
  scenario.nodes.push_back(group);
  scenario.variants.push_back({"TailStealing", {}});
  return scenario;
}

TEST(ScenarioSimulation, TheBoundIsWorkOverSpeed) {
  EXPECT_NEAR(LowerBound(DrawSimulation(TenTasksOnTwoNodes(), 1)), 10.0 / 4, 1e-8);
}

TEST(ScenarioSimulation, CoresAddUp) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.nodes[0].cores = 4;
  const SimulationConfig simulation = DrawSimulation(scenario, 1);
  EXPECT_NEAR(LowerBound(simulation), 10.0 / 16, 1e-8);
  EXPECT_EQ(simulation.nodes[0].ratio, 8);
}

TEST(ScenarioSimulation, NothingIsFasterThanTheLongestTask) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.tasks.costs = ListedCosts{{1, 1, 30}};
  EXPECT_NEAR(LowerBound(DrawSimulation(scenario, 1)), 15, 1e-8);
}

// 4 units a second until 1 s, then 3: the other 6 take 2 s.
TEST(ScenarioSimulation, TheBoundFollowsSpeedsOverTime) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.nodes[0].count = 1;
  scenario.nodes.push_back(scenario.nodes[0]);
  scenario.nodes[1].name = "throttled";
  scenario.nodes[1].changes = {{{0, 0.4}, 0.5}};  // 0.4 of 2.5 s
  EXPECT_NEAR(LowerBound(DrawSimulation(scenario, 1)), 3, 1e-8);
}

// Node 2 is there from 1 s to 2 s only: 2 + 4 units by then, the other 4 take node 1 two seconds.
TEST(ScenarioSimulation, TheBoundFollowsThePresentNodes) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.nodes[0].count = 1;
  scenario.nodes.push_back(scenario.nodes[0]);
  scenario.nodes[1].name = "passing";
  scenario.nodes[1].joins = Moment{1, 0};
  scenario.nodes[1].faults = {{Fault::Kind::kKillWorker, {2, 0}, std::nullopt}};
  EXPECT_NEAR(LowerBound(DrawSimulation(scenario, 1)), 4, 1e-8);
}

TEST(ScenarioSimulation, ASeedIsASimulation) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.tasks.costs = DrawnCosts{50, LogNormal{1, 1.5}};
  scenario.nodes[0].speed = Uniform{1, 5};
  const SimulationConfig one = DrawSimulation(scenario, 3);
  EXPECT_EQ(one.true_costs, DrawSimulation(scenario, 3).true_costs);
  EXPECT_NE(one.true_costs, DrawSimulation(scenario, 4).true_costs);
  scenario.nodes[0].count = 5;
  EXPECT_EQ(one.true_costs, DrawSimulation(scenario, 3).true_costs) << "tasks are drawn apart";
}

TEST(ScenarioSimulation, NodesOfOneMachineMayBeAlike) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.nodes[0].speed = Uniform{1, 2};
  const SimulationConfig drawn = DrawSimulation(scenario, 1);
  EXPECT_NE(drawn.nodes[0].speed.MaxSpeed(), drawn.nodes[1].speed.MaxSpeed());
  scenario.nodes[0].alike = true;
  const SimulationConfig alike = DrawSimulation(scenario, 1);
  EXPECT_EQ(alike.nodes[0].speed.MaxSpeed(), alike.nodes[1].speed.MaxSpeed());
  EXPECT_NE(alike.nodes[0].speed.MaxSpeed(), DrawSimulation(scenario, 2).nodes[0].speed.MaxSpeed());
}

TEST(ScenarioSimulation, WeightsMayBeEqualUpsideDownOrWrong) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.nodes[0].count = 1;
  scenario.nodes.push_back(scenario.nodes[0]);
  scenario.nodes[1].name = "slow";
  scenario.nodes[1].speed = Constant{0.5};
  scenario.weights = DeclaredWeights::kInverse;
  EXPECT_EQ(DrawSimulation(scenario, 1).nodes[0].ratio, 1);
  EXPECT_EQ(DrawSimulation(scenario, 1).nodes[1].ratio, 4);
  scenario.weights = DeclaredWeights::kEqual;
  EXPECT_EQ(DrawSimulation(scenario, 1).nodes[1].ratio, 1);
  scenario.weight_error = 0.5;
  EXPECT_NE(DrawSimulation(scenario, 1).nodes[1].ratio, 1);
}

TEST(ScenarioSimulation, DrawsHaveTheMeansThatWereAskedFor) {
  Rng rng(1);
  for (const Distribution& distribution :
       {Distribution{Uniform{1, 3}}, Distribution{Exponential{2}}, Distribution{LogNormal{2, 1}}}) {
    double sum = 0;
    for (int i = 0; i < 200'000; ++i) sum += Draw(distribution, rng);
    EXPECT_NEAR(sum / 200'000, 2, 0.03);
    EXPECT_EQ(MeanOf(distribution), 2);
  }
}

TEST(ScenarioSimulation, ARunReportsItsResult) {
  const Scenario scenario = TenTasksOnTwoNodes();
  const ScenarioRun run = Repetition(scenario, 1).Run(scenario.variants[0]);
  EXPECT_EQ(run.state, model::JobState::kComplete);
  EXPECT_NEAR(run.makespan_seconds, 2.5, 0.02);
  EXPECT_NEAR(run.efficiency, 1, 0.01);
  EXPECT_NEAR(run.utilization, 1, 0.01);
  EXPECT_GT(run.messages, 0);
}

// Losses only put off: every task is still run, and later.
TEST(ScenarioSimulation, LostMessagesAreSentAgain) {
  Scenario scenario = TenTasksOnTwoNodes();
  const double before = Repetition(scenario, 1).Run(scenario.variants[0]).makespan_seconds;
  scenario.network.loss = 0.5;
  const ScenarioRun run = Repetition(scenario, 1).Run(scenario.variants[0]);
  EXPECT_EQ(run.state, model::JobState::kComplete);
  EXPECT_GT(run.makespan_seconds, before + 0.1);
}

Scenario TenTasksOnOneAndOther() {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.nodes[0].count = 1;
  scenario.nodes.push_back(scenario.nodes[0]);
  scenario.nodes[1].name = "other";
  return scenario;
}

TEST(ScenarioSimulation, LoadsAndArrivalsHaveTheirPlaces) {
  Scenario scenario = TenTasksOnOneAndOther();
  scenario.nodes[1].load = 3;
  Arrival late{{2, 0}, {}, 2, 1, scenario.nodes[0].name, false};
  Arrival drawn{{}, Uniform{0.5, 1}, 1, 3, {}, true};
  scenario.tasks.arrivals = {late, drawn};
  const SimulationConfig simulation = DrawSimulation(scenario, 1);
  EXPECT_EQ(simulation.initial_tasks, 5);
  ASSERT_EQ(simulation.growths.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(simulation.growths[i].tasks, 6 + static_cast<std::int64_t>(i));
    EXPECT_GE(simulation.growths[i].at, std::chrono::milliseconds(i == 0 ? 500 : 0));
    EXPECT_LT(simulation.growths[i].at, std::chrono::seconds(1));
  }
  EXPECT_EQ(simulation.growths[3].tasks, 10);
  const auto& placed = simulation.transfers.placed;
  ASSERT_EQ(placed.size(), 5u);
  EXPECT_EQ(placed[0].range, (model::IndexRange{0, 3}));
  EXPECT_EQ(placed[0].node, 1u);
  EXPECT_EQ(placed[4].range, (model::IndexRange{8, 10}));
  EXPECT_EQ(placed[4].node, 0u);
  EXPECT_TRUE(simulation.transfers.links.empty());
}

TEST(ScenarioSimulation, LinksThatAreDrawnConnectAllNodes) {
  Scenario scenario = TenTasksOnTwoNodes();
  scenario.nodes[0].count = 20;
  scenario.transfers.tasks_per_second = Uniform{10, 20};
  scenario.transfers.mean_links = 3;
  const std::size_t nodes = DrawSimulation(scenario, 1).nodes.size();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto links = DrawSimulation(scenario, seed).transfers.links;
    EXPECT_NEAR(static_cast<double>(links.size()), 1.5 * static_cast<double>(nodes), 1);
    scheduling::NodeLinks network;
    for (const auto& link : links) {
      EXPECT_GE(link.tasks_per_second, 10);
      EXPECT_LT(link.tasks_per_second, 20);
      network.Add({static_cast<std::uint32_t>(link.one)}, {static_cast<std::uint32_t>(link.other)},
                  link.tasks_per_second);
    }
    for (std::uint32_t i = 1; i < nodes; ++i) EXPECT_FALSE(network.Route({0}, {i}).empty());
  }
  scenario.transfers.mean_links.reset();
  EXPECT_EQ(DrawSimulation(scenario, 1).transfers.links.size(), nodes * (nodes - 1) / 2);
}

// All are at the first node, far from the second one, which is to do half of them.
TEST(ScenarioSimulation, TasksFromElsewhereTakeTheirTime) {
  Scenario scenario = TenTasksOnOneAndOther();
  scenario.nodes[0].load = 10;
  scenario.transfers.tasks_per_second = Constant{0.1};
  Variant variant = scenario.variants[0];
  variant.balancing.strategy = model::StrategyName::kDomainDecomposition;
  const double whole = Repetition(scenario, 1).Run(variant).makespan_seconds;
  scenario.transfers.streams = true;
  const double streaming = Repetition(scenario, 1).Run(variant).makespan_seconds;
  EXPECT_GT(whole, 50) << "five tasks at one in ten seconds";
  EXPECT_GT(streaming, 50);
  EXPECT_LT(streaming, whole) << "the first four are done before the last one comes";
  scenario.transfers.exponential = true;
  EXPECT_NE(Repetition(scenario, 1).Run(variant).makespan_seconds, streaming);
}

}  // namespace
}  // namespace evenkeel::simulator
