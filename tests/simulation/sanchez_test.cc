// Sanchez, Macias and Suarez, "Effective Load Balancing on a LAN-WLAN Cluster": what their figures
// 4 to 7 show, with the scenario files of their nodes and links.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "simulator/scenario_drawing.h"
#include "tests/simulation/rounds_of_a_run.h"
#include "tests/simulation/scenario_files.h"

namespace evenkeel {
namespace {

RoundsOfARun RoundsOf(const std::string& name, const std::string& variant = "new") {
  const auto scenario = LoadScenario(name);
  simulator::SimulationConfig simulation = simulator::DrawSimulation(scenario, scenario.seed);
  for (const auto& each : scenario.variants) {
    if (each.name == variant) simulation.job.balancing = each.balancing;
  }
  return RunRounds(simulation);
}

constexpr int kOrders[] = {200, 400, 600, 800, 1000};
constexpr const char* kSlowest = "p200-mmx";
constexpr const char* kWireless = "pii-300";

std::string ProductOf(int order) { return "sanchez-matrix-" + std::to_string(order); }

// Figures 5 and 7: the nodes' times differ much at first, then little.
TEST(Sanchez, TheSpreadOfTheTimesFallsAndStaysLow) {
  for (const std::string& name : {std::string("sanchez-codesign"), ProductOf(1000)}) {
    const RoundsOfARun run = RoundsOf(name);
    ASSERT_GT(run.t_exe.size(), 7u) << name;
    std::printf("%s, standard deviation of t_exe / mean, iterations 1 to 7:", name.c_str());
    for (std::size_t round = 0; round < 7; ++round) {
      std::printf(" %.3f", Spread(run.t_exe[round]));
      EXPECT_EQ(run.t_exe[round].size(), 6u) << name;
    }
    std::printf("\n");
    EXPECT_GT(Spread(run.t_exe[0]), 0.4) << name;
    for (std::size_t round = 2; round < 7; ++round) {
      EXPECT_LT(Spread(run.t_exe[round]), 0.05) << name << ", iteration " << round + 1;
    }
  }
  EXPECT_GT(Spread(RoundsOf(ProductOf(1000)).t_exe[1]), 0.1) << "and in iteration 2";
}

// Figure 4: with little data the old strategy is as good. Figure 6: with much the new one is
// better, and the more so the larger the matrices.
TEST(Sanchez, CommunicationCountsAndMoreSoTheLargerTheMatrices) {
  const auto codesign = RunVariants(LoadScenario("sanchez-codesign"));
  EXPECT_NEAR(codesign.at("old").makespan_seconds, codesign.at("new").makespan_seconds,
              0.03 * codesign.at("new").makespan_seconds);
  std::printf("codesign: new %.4g s, old %.4g s, TailStealing %.4g s\n",
              codesign.at("new").makespan_seconds, codesign.at("old").makespan_seconds,
              codesign.at("TailStealing").makespan_seconds);
  double difference = 0;
  for (const int order : kOrders) {
    auto runs = RunVariants(LoadScenario(ProductOf(order)));
    const double with = runs["new"].makespan_seconds;
    const double without = runs["old"].makespan_seconds;
    std::printf("order %4d: new %.4g s, old %.4g s (x %.2f), TailStealing %.4g s\n", order, with,
                without, without / with, runs["TailStealing"].makespan_seconds);
    EXPECT_GT(without, 3 * with) << order;
    EXPECT_GT(without - with, difference) << order;
    difference = without - with;
  }
}

// "Usually removed P200 MMX ... in the fourth or fifth iteration".
TEST(Sanchez, TheSlowNodeIsDroppedAndItsWorkIsNotLost) {
  const RoundsOfARun run = RoundsOf("sanchez-drop");
  ASSERT_GT(run.t_exe.size(), 7u);
  std::printf("takes part in iteration:");
  for (std::size_t round = 0; round < 8; ++round) {
    std::printf(" %zu: %s", round + 1, run.t_exe[round].contains(kSlowest) ? "yes" : "no");
  }
  std::printf("\n");
  for (std::size_t round = 0; round < 4; ++round) {
    EXPECT_TRUE(run.t_exe[round].contains(kSlowest)) << "iteration " << round + 1;
  }
  for (std::size_t round = 5; round < run.t_exe.size(); ++round) {
    EXPECT_FALSE(run.t_exe[round].contains(kSlowest)) << "iteration " << round + 1;
  }
  EXPECT_EQ(run.outcome.progress.tasks_completed, 10'000);
}

TEST(Sanchez, AWirelessNodeJoinsAndLeaves) {
  const RoundsOfARun run = RoundsOf("sanchez-join");
  std::vector<std::size_t> with_it;
  for (std::size_t round = 0; round < run.t_exe.size(); ++round) {
    std::printf("iteration %zu: %.2f s, %zu nodes\n", round + 1,
                ToSeconds(run.outcome.stages[round].end - run.outcome.stages[round].start),
                run.t_exe[round].size());
    if (run.t_exe[round].contains(kWireless)) with_it.push_back(round);
  }
  ASSERT_FALSE(with_it.empty());
  EXPECT_GT(with_it.front(), 0u);
  EXPECT_LT(with_it.back() + 1, run.t_exe.size());
  EXPECT_EQ(run.outcome.progress.tasks_completed, 6000);
  simulator::Scenario without = LoadScenario("sanchez-join");
  without.nodes.pop_back();
  EXPECT_LT(run.Seconds(), RunVariants(without).at("new").makespan_seconds);
}

}  // namespace
}  // namespace evenkeel
