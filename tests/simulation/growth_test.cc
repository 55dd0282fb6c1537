// Tasks that are appended while a job runs, under each strategy, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "simulator/simulated_strategy.h"
#include "tests/simulation/all_run_once.h"
#include "tests/support/example_simulations.h"

namespace evenkeel {
namespace {

using simulator::Fault;
using simulator::Outcome;
using simulator::SimulatedStrategy;
using simulator::Simulation;
using simulator::SimulationConfig;
using std::chrono::seconds;

// The sixteen workers with a third of the tasks at first; the rest comes in two parts.
SimulationConfig GrowingSimulation(const SimulatedStrategy& strategy, bool costs_known) {
  SimulationConfig simulation = support::SixteenWorkers(7, costs_known, false);
  simulation.job.balancing.strategy = strategy.strategy;
  simulation.technique = strategy.technique;
  simulation.initial_tasks = 256;
  simulation.growths = {{seconds(2), 300}, {seconds(4), 768}};
  simulation.check_invariants = true;
  return simulation;
}

void ExpectAllOfThemRunOnce(const Outcome& outcome) {
  EXPECT_EQ(outcome.progress.tasks_total, 768);
  ExpectAllRunOnce(outcome);
}

class Growth : public testing::TestWithParam<SimulatedStrategy> {};

TEST_P(Growth, AllTasksRunOnce) {
  for (const bool known : {false, true}) {
    const Outcome outcome = Simulation(GrowingSimulation(GetParam(), known)).Run();
    ExpectAllOfThemRunOnce(outcome);
    double shares = 0;
    for (const auto& node : outcome.progress.nodes) shares += node.share;
    EXPECT_NEAR(shares, 1, 1e-9) << "what was appended is part of the plan";
  }
}

TEST_P(Growth, TheCoordinatorDiesAfterTasksWereAppended) {
  SimulationConfig simulation = GrowingSimulation(GetParam(), false);
  simulation.faults = {
      {Fault::Kind::kKillCoordinator, 0, std::chrono::milliseconds(4100), seconds(1), {}}};
  const Outcome outcome = Simulation(simulation).Run();
  ExpectAllOfThemRunOnce(outcome);
  EXPECT_EQ(outcome.coordinator_starts, 2u);
}

TEST_P(Growth, TasksAreAppendedWhileTheCoordinatorIsDown) {
  SimulationConfig simulation = GrowingSimulation(GetParam(), true);
  simulation.faults = {
      {Fault::Kind::kKillCoordinator, 0, std::chrono::milliseconds(3500), seconds(1), {}}};
  ExpectAllOfThemRunOnce(Simulation(simulation).Run());
}

TEST_P(Growth, AWorkerIsLostAndAnotherOneJoins) {
  SimulationConfig simulation = GrowingSimulation(GetParam(), false);
  simulation.job.balancing.lease = seconds(2);
  simulation.nodes[15].expected = false;
  simulation.nodes[15].joins_at = seconds(3);
  simulation.faults = {{Fault::Kind::kKillWorker, 0, seconds(1), simulator::kForEver, {}},
                       {Fault::Kind::kKillWorker, 5, seconds(5), simulator::kForEver, {}}};
  ExpectAllOfThemRunOnce(Simulation(simulation).Run());
}

// Ten tasks of 10 s on ten nodes, five of them from the start: the other five nodes run copies of
// these when the rest comes after 2 s.
TEST(GrowthWithCopies, AppendedTasksDoNotWaitForCopies) {
  SimulationConfig simulation;
  simulation.true_costs.assign(10, 10);
  simulation.costs_known = false;
  simulation.job.workload = simulation.job.name = "synthetic";
  simulation.initial_tasks = 5;
  simulation.growths = {{seconds(2), 10}};
  simulation.check_invariants = true;
  for (int i = 0; i < 10; ++i) {
    simulator::NodeModel node;
    node.name = "node-" + std::to_string(i);
    simulation.nodes.push_back(node);
  }
  const Outcome outcome = Simulation(simulation).Run();
  ExpectAllRunOnce(outcome);
  EXPECT_GT(outcome.progress.moves.copies, 0);
  EXPECT_LT(ToSeconds(outcome.makespan), 12.5);
}

INSTANTIATE_TEST_SUITE_P(Strategies, Growth, testing::ValuesIn(simulator::AllSimulatedStrategies()),
                         [](const auto& name) {
                           std::string text = ToString(name.param);
                           std::replace(text.begin(), text.end(), '-', '_');
                           return text;
                         });

// All the work is there early enough to be shared out as if it had been there from the start.
TEST(GrowthOfTailStealing, IsBalanced) {
  for (const bool known : {false, true}) {
    const SimulationConfig simulation =
        GrowingSimulation({model::StrategyName::kTailStealing}, known);
    const double bound = support::FluidBound(simulation);
    const Outcome outcome = Simulation(simulation).Run();
    EXPECT_GT(bound / ToSeconds(outcome.makespan), 0.95) << "known " << known;
  }
}

}  // namespace
}  // namespace evenkeel
