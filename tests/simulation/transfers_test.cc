// Tasks that are at nodes and take time to get to others: under every strategy each of them runs,
// and its result counts once, also when nodes, links or the coordinator fail meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "simulator/simulated_strategy.h"
#include "simulator/simulation.h"
#include "tests/simulation/all_run_once.h"

namespace evenkeel {
namespace {

using simulator::Fault;
using simulator::Outcome;
using simulator::SimulatedStrategy;
using simulator::Simulation;
using simulator::SimulationConfig;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Four nodes in a ring with 30 tasks each, 10 a second; 100 more come to the first one.
SimulationConfig Ring(const SimulatedStrategy& strategy) {
  SimulationConfig simulation;
  simulation.true_costs.assign(220, 1.0);
  simulation.costs_known = false;
  simulation.initial_tasks = 120;
  simulation.growths = {{milliseconds(500), 220}};
  simulation.job.workload = simulation.job.name = "ring";
  simulation.job.balancing.strategy = strategy.strategy;
  simulation.technique = strategy.technique;
  simulation.job.balancing.lease = seconds(2);
  simulation.report_interval = milliseconds(50);
  for (std::size_t i = 0; i < 4; ++i) {
    simulator::NodeModel node;
    node.name = "n" + std::to_string(i);
    node.ratio = 10;
    node.speed = simulator::SpeedProfile(10);
    simulation.nodes.push_back(node);
    const auto first = static_cast<model::TaskIndex>(30 * i);
    simulation.transfers.placed.push_back({{first, first + 30}, i});
    simulation.transfers.links.push_back({i, (i + 1) % 4, 10});
  }
  simulation.transfers.placed.push_back({{120, 220}, 0});
  simulation.check_invariants = true;
  return simulation;
}

class Transfers : public testing::TestWithParam<SimulatedStrategy> {};

TEST_P(Transfers, AllTasksRunOnce) {
  for (const bool streams : {false, true}) {
    for (const bool exponential : {false, true}) {
      SimulationConfig simulation = Ring(GetParam());
      simulation.transfers.streams = streams;
      simulation.transfers.exponential = exponential;
      ExpectAllRunOnce(Simulation(simulation).Run());
    }
  }
}

TEST_P(Transfers, WorkersDieAndLinksAreCutWhileTasksAreUnderWay) {
  SimulationConfig simulation = Ring(GetParam());
  simulation.faults = {{Fault::Kind::kKillWorker, 1, milliseconds(900), seconds(3), {}},
                       {Fault::Kind::kCutLink, 3, milliseconds(1100), seconds(1), {}}};
  ExpectAllRunOnce(Simulation(simulation).Run());
}

TEST_P(Transfers, TheCoordinatorDiesWhileTasksAreUnderWay) {
  SimulationConfig simulation = Ring(GetParam());
  simulation.faults = {{Fault::Kind::kKillCoordinator, 0, milliseconds(900), seconds(1), {}}};
  const Outcome outcome = Simulation(simulation).Run();
  ExpectAllRunOnce(outcome);
  EXPECT_EQ(outcome.coordinator_starts, 2u);
}

TEST_P(Transfers, TheNodeWithTheLoadIsLost) {
  SimulationConfig simulation = Ring(GetParam());
  simulation.faults = {{Fault::Kind::kKillWorker, 0, milliseconds(700), simulator::kForEver, {}}};
  ExpectAllRunOnce(Simulation(simulation).Run());
}

INSTANTIATE_TEST_SUITE_P(Strategies, Transfers,
                         testing::ValuesIn(simulator::AllSimulatedStrategies()),
                         [](const auto& strategy) {
                           std::string name = ToString(strategy.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

SimulationConfig Diffusing(model::Compensation compensation) {
  SimulationConfig simulation = Ring({model::StrategyName::kCompensated});
  simulation.network.latency = simulation.commit_latency = Duration::zero();
  simulation.job.balancing.compensated.compensation = compensation;
  return simulation;
}

std::vector<std::int64_t> Sent(const SimulationConfig& simulation) {
  const Outcome outcome = Simulation(simulation).Run();
  ExpectAllRunOnce(outcome);
  std::vector<std::int64_t> sent;
  for (const auto& node : outcome.progress.nodes) sent.push_back(node.stolen_in);
  return sent;
}

using Counts = std::vector<std::int64_t>;

// At 0.5 s each has 25 left, the first one 125: it has 66.7 more than its share among three.
TEST(Compensated, LoadGoesToNeighboursOnce) {
  EXPECT_EQ(Sent(Diffusing(model::Compensation::kNone)), (Counts{0, 33, 0, 33}));
}

TEST(Compensated, LoadGoesToAll) {
  SimulationConfig simulation = Diffusing(model::Compensation::kNone);
  simulation.job.balancing.compensated.sends_to_all = true;
  EXPECT_EQ(Sent(simulation), (Counts{0, 25, 25, 25}));
  simulation.transfers.links.clear();
  simulation.job.balancing.compensated.sends_to_all = false;
  EXPECT_EQ(Sent(simulation), (Counts{0, 25, 25, 25})) << "without links all are neighbours";
}

// 33 tasks take 3.3 s; the neighbours are dry after 2.5 s: k = 1/2 + 1/2 x 25/33.
TEST(Compensated, LessIsSentByTheFactor) {
  EXPECT_EQ(Sent(Diffusing(model::Compensation::kFirst)), (Counts{0, 29, 0, 29}));
  SimulationConfig simulation = Diffusing(model::Compensation::kFirst);
  simulation.job.balancing.compensated.compensation_factor = 0.1;
  EXPECT_EQ(Sent(simulation), (Counts{0, 3, 0, 3}));
}

TEST(Compensated, WhatIsToBeSentFollowsFromOldReports) {
  SimulationConfig simulation = Diffusing(model::Compensation::kNone);
  simulation.report_interval = milliseconds(300);
  EXPECT_EQ(Sent(simulation), (Counts{0, 33, 0, 33})) << "reports are 0.2 s old";
}

// The second load finds what is under way of the first one: 33 each, which arrive at 3.8 s.
// At 1 s the first node has 125 - 66 - 5 + 100 = 154, its neighbours 20 + 33: 67 too much.
TEST(Compensated, LoadThatIsUnderWayCounts) {
  SimulationConfig simulation = Diffusing(model::Compensation::kNone);
  simulation.true_costs.assign(320, 1.0);
  simulation.growths.push_back({seconds(1), 320});
  simulation.transfers.placed.push_back({{220, 320}, 0});
  EXPECT_EQ(Sent(simulation), (Counts{0, 66, 0, 66}));
  // With the first selection 29 each were sent and arrive at 3.4 s, 2.4 s from now. 162 against 49:
  // 75.3 too much, 37 each, which take 3.7 s. Dry at 2.4 + 2.9 s, later than that: all are sent.
  simulation.job.balancing.compensated.compensation = model::Compensation::kFirst;
  EXPECT_EQ(Sent(simulation), (Counts{0, 29 + 37, 0, 29 + 37}));
}

// Placed tasks of nodes that are lost come in at the next one, and are sent on from there.
TEST(Compensated, WhatALostNodeLeavesIsLoadOfTheNextOne) {
  SimulationConfig simulation = Diffusing(model::Compensation::kNone);
  simulation.transfers.links.clear();
  simulation.growths.clear();
  simulation.true_costs.resize(120);
  simulation.transfers.placed.pop_back();
  simulation.faults = {{Fault::Kind::kKillWorker, 0, milliseconds(100), simulator::kForEver, {}}};
  const Outcome outcome = Simulation(simulation).Run();
  ExpectAllRunOnce(outcome);
  // Known as lost 2 s later: 30 tasks of the lost node are 10 for each of the other three.
  EXPECT_NEAR(ToSeconds(outcome.makespan), 4.0, 0.15);
}

}  // namespace
}  // namespace evenkeel
