// AdaptiveIterative on the cluster of its paper: what figures 4 to 7 show, in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/scheduling/tail_stealing/medium_shares.h"
#include "simulator/simulation.h"
#include "tests/simulation/rounds_of_a_run.h"

namespace evenkeel {
namespace {

using model::StrategyName;
using simulator::NodeModel;
using simulator::SimulationConfig;

constexpr double kMegabit = 1e6 / 8;  // bytes a second

/// Table 1: by clock rate, the PIII with 666 MHz as 1; the master's own node has no link.
SimulationConfig PaperCluster(int tasks, double seconds_a_task) {
  struct Row {
    const char* name;
    double speed;
    double megabits;
  };
  constexpr Row kRows[] = {{"piii-666-master", 1.0, 0}, {"piii-1000", 1.5, 100},
                           {"piii-666", 1.0, 100},      {"celeron-633", 0.95, 10},
                           {"p200-mmx", 0.3, 10},       {"pii-300", 0.45, 2}};
  SimulationConfig simulation;
  simulation.true_costs.assign(static_cast<std::size_t>(tasks), seconds_a_task);
  simulation.costs_known = false;
  simulation.network.shared_medium = true;
  simulation.job.name = simulation.job.workload = "units";
  simulation.job.balancing.strategy = StrategyName::kAdaptiveIterative;
  for (const Row& row : kRows) {
    NodeModel node;
    node.name = row.name;
    node.speed = simulator::SpeedProfile(row.speed);
    node.link_bytes_per_second = row.megabits * kMegabit;
    simulation.nodes.push_back(node);
  }
  return simulation;
}

// Figures 5 and 7: a high deviation in iterations 1 and 2, then a low one that stays.
TEST(AdaptiveIterative, TheTimesOfTheNodesMeetByTheThirdIteration) {
  for (const double kilobytes : {0.012, 4.0}) {
    SimulationConfig simulation = PaperCluster(6000, 0.02);
    simulation.input_bytes = simulation.result_bytes = kilobytes * 1000;
    const RoundsOfARun run = RunRounds(simulation);
    ASSERT_GE(run.t_exe.size(), 5u);
    EXPECT_EQ(run.t_exe[0].size(), 6u);
    std::printf("%g kB a unit, spread of t_exe by iteration:", kilobytes);
    for (const auto& round : run.t_exe) std::printf(" %.3f", Spread(round));
    std::printf("\n");
    EXPECT_GT(Spread(run.t_exe[0]), 0.4);
    for (std::size_t round = 2; round + 1 < run.t_exe.size(); ++round) {
      EXPECT_LT(Spread(run.t_exe[round]), 0.05) << "iteration " << round + 1;
    }
  }
}

// Figures 4 and 6: with little data both are about as good, with much the new one is much better.
TEST(AdaptiveIterative, CommunicationTimeCountsAndMoreSoTheMoreDataThereAre) {
  std::vector<double> gains;
  for (const double kilobytes : {0.012, 1.0, 4.0, 16.0}) {
    SimulationConfig simulation = PaperCluster(6000, 0.02);
    simulation.input_bytes = simulation.result_bytes = kilobytes * 1000;
    const double with = RunRounds(simulation).Seconds();
    simulation.job.balancing.adaptive_iterative.communication = false;
    const double without = RunRounds(simulation).Seconds();
    simulation.job.balancing.strategy = StrategyName::kTailStealing;
    const double tail_stealing = RunRounds(simulation).Seconds();
    gains.push_back(without / with);
    EXPECT_LT(tail_stealing, with) << kilobytes << " kB";
    std::printf("%6.3f kB a unit: %.2f s, calculation only %.2f s (x %.2f), TailStealing %.2f s\n",
                kilobytes, with, without, gains.back(), tail_stealing);
  }
  EXPECT_GT(gains[0], 0.97);
  EXPECT_LT(gains[0], 1.05);
  for (std::size_t n = 1; n < gains.size(); ++n) EXPECT_GT(gains[n], gains[n - 1]);
  EXPECT_GT(gains.back(), 1.5);
}

/// The shortest time by the linear program of DivideMedium over the whole job: both ways of a
/// task's data occupy the medium.
double SharedMediumBound(const SimulationConfig& simulation, double seconds_a_task) {
  std::vector<scheduling::MediumUser> users;
  for (const NodeModel& node : simulation.nodes) {
    const double bytes = simulation.input_bytes + simulation.result_bytes;
    const double transfer = node.link_bytes_per_second > 0 ? bytes / node.link_bytes_per_second : 0;
    users.push_back({node.speed.MaxSpeed() / seconds_a_task, transfer});
  }
  double rate = 0;
  for (const double each : scheduling::DivideMedium(users, 1)) rate += each;
  return static_cast<double>(simulation.true_costs.size()) / rate;
}

// One transfer of 16 kB to the 2 Mbit/s link takes as long as 50 to those of 100 Mbit/s.
TEST(TailStealingOnASharedMedium, SlowLinksDoNotHoldUpTheOthers) {
  for (const int tasks : {6000, 20'000}) {
    SimulationConfig simulation = PaperCluster(tasks, 0.02);
    simulation.input_bytes = simulation.result_bytes = 16'000;
    simulation.job.balancing.strategy = StrategyName::kTailStealing;
    const double bound = SharedMediumBound(simulation, 0.02);
    const RoundsOfARun run = RunRounds(simulation);
    std::printf("%d tasks: %.1f s, %.2f times the bound\n", tasks, run.Seconds(),
                run.Seconds() / bound);
    EXPECT_LT(run.Seconds(), 1.3 * bound);
  }
}

// The same links, each by itself: nothing is gained by limits, so hardly anything is lost by
// trials.
TEST(TailStealingOnASharedMedium, LinksThatAreNotSharedAreUsed) {
  SimulationConfig simulation = PaperCluster(6000, 0.02);
  simulation.network.shared_medium = false;
  simulation.input_bytes = simulation.result_bytes = 64'000;
  simulation.job.balancing.strategy = StrategyName::kTailStealing;
  const RoundsOfARun run = RunRounds(simulation);
  double rate = 0;  // both directions of a link carry data at the same time
  for (const NodeModel& node : simulation.nodes) {
    const double computed = node.speed.MaxSpeed() / 0.02;
    const double link = node.link_bytes_per_second / simulation.input_bytes;
    rate += link > 0 ? std::min(computed, link) : computed;
  }
  EXPECT_LT(run.Seconds(), 1.06 * 6000 / rate);
}

// "Usually removed P200 MMX": it gets other work in the fourth iteration and cannot keep up.
TEST(AdaptiveIterative, ASlowNodeIsDroppedAndNothingIsLost) {
  SimulationConfig simulation = PaperCluster(1200, 0.1);
  simulation.job.balancing.adaptive_iterative.rounds = 100;  // two units a node in the first
  const RoundsOfARun undisturbed = RunRounds(simulation);
  ASSERT_GE(undisturbed.outcome.stages.size(), 6u);
  const Instant fourth{undisturbed.outcome.stages[3].start};
  EXPECT_EQ(undisturbed.t_exe[5].count("p200-mmx"), 1u) << "it is not dropped without a reason";

  simulation.nodes[4].speed.ChangeAt(fourth, 0.02);
  const RoundsOfARun run = RunRounds(simulation);
  EXPECT_EQ(run.t_exe[3].count("p200-mmx"), 1u);
  for (std::size_t round = 4; round < run.t_exe.size(); ++round) {
    EXPECT_EQ(run.t_exe[round].count("p200-mmx"), 0u) << "iteration " << round + 1;
  }
  EXPECT_GT(run.outcome.progress.nodes[4].completed, 0);
  EXPECT_EQ(run.outcome.progress.tasks_completed, 1200);
}

TEST(AdaptiveIterative, ANodeThatJoinsIsGivenItsShare) {
  SimulationConfig simulation = PaperCluster(6000, 0.02);
  NodeModel laptop;
  laptop.name = "wireless";
  laptop.speed = simulator::SpeedProfile(3.0);
  laptop.link_bytes_per_second = 2 * kMegabit;
  laptop.expected = false;
  laptop.joins_at = std::chrono::seconds(5);
  simulation.nodes.push_back(laptop);
  const RoundsOfARun run = RunRounds(simulation);
  EXPECT_EQ(run.t_exe[0].count("wireless"), 0u);
  const auto& nodes = run.outcome.progress.nodes;
  ASSERT_EQ(nodes.size(), 7u);
  // In the end it does more than the master's node, which was there from the beginning.
  EXPECT_GT(nodes[6].completed, nodes[0].completed);
  EXPECT_LT(run.Seconds(), RunRounds(PaperCluster(6000, 0.02)).Seconds());
}

}  // namespace
}  // namespace evenkeel
