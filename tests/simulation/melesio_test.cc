// Melesio, "Optimizing Raspberry Pi for Distributed Matrix Multiplication" (2024): one to five Pi 5
// beside a central node. His runs are p squared products of blocks, not whole products.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "tests/simulation/scenario_files.h"

namespace evenkeel {
namespace {

using simulator::ScenarioRun;

constexpr std::size_t kMostNodes = 5;
using OfNodes = std::array<double, kMostNodes>;

struct Aggregation {
  const char* scenario;
  OfNodes milliseconds;  ///< table 4.5
  OfNodes cpu_percent;   ///< table 4.7
};
constexpr Aggregation kRow4{
    "melesio-row-4", {25'341, 14'691, 9'772, 8'416, 7'531}, {51.8, 72.6, 87.9, 92.1, 97.5}};
constexpr Aggregation kRow8{
    "melesio-row-8", {26'638, 14'234, 9'628, 7'587, 7'176}, {43.0, 56.6, 61.4, 75.4, 87.5}};
constexpr Aggregation kSquare4{
    "melesio-square-4", {27'908, 14'278, 9'738, 7'517, 6'127}, {47.2, 66.8, 80.9, 89.3, 95.7}};
constexpr Aggregation kSquare8{
    "melesio-square-8", {27'817, 14'234, 9'719, 7'373, 6'094}, {42.6, 55.9, 66.7, 78.7, 87.8}};

/// Of 1 to 5 nodes.
std::array<ScenarioRun, kMostNodes> ScaleOut(const std::string& name) {
  auto by_name = RunVariants(LoadScenario(name));
  std::array<ScenarioRun, kMostNodes> runs;
  for (std::size_t n = 0; n < kMostNodes; ++n) {
    const std::string variant = std::to_string(n + 1) + (n == 0 ? " node" : " nodes");
    EXPECT_TRUE(by_name.contains(variant)) << variant;
    runs[n] = by_name[variant];
  }
  return runs;
}

double Gain(const std::array<ScenarioRun, kMostNodes>& runs, std::size_t nodes) {
  return runs[0].makespan_seconds / runs[nodes - 1].makespan_seconds;
}

/// Table 4.6: error of each cell, relative to what is published.
OfNodes ErrorsOf(const Aggregation& published) {
  const auto runs = ScaleOut(published.scenario);
  EXPECT_NEAR(runs[0].makespan_seconds, published.milliseconds[0] / 1000,
              0.01 * published.milliseconds[0] / 1000)
      << "one node is calibrated";
  OfNodes errors{};
  for (std::size_t nodes = 1; nodes <= kMostNodes; ++nodes) {
    const double paper = published.milliseconds[0] / published.milliseconds[nodes - 1];
    errors[nodes - 1] = Gain(runs, nodes) / paper - 1;
    std::printf(
        "%-17s %zu nodes: %.2f, published %.2f (%+.1f %%); CPU of the central node %.0f %%,"
        " published %.1f %%\n",
        published.scenario, nodes, Gain(runs, nodes), paper, errors[nodes - 1] * 100,
        runs[nodes - 1].coordinator_utilization * 100, published.cpu_percent[nodes - 1]);
  }
  return errors;
}

TEST(Melesio, SquareAggregationScalesAsPublished) {
  for (const Aggregation& square : {kSquare4, kSquare8}) {
    for (const double error : ErrorsOf(square)) EXPECT_LT(std::abs(error), 0.05);
  }
}

// The central node's processor is what holds row aggregation up: with a faster one there is no
// bend.
TEST(Melesio, RowAggregationBendsBecauseOfTheCentralNode) {
  for (const Aggregation& row : {kRow4, kRow8}) {
    const OfNodes errors = ErrorsOf(row);
    EXPECT_LT(std::abs(errors[3]), 0.10);
    EXPECT_LT(std::abs(errors[4]), 0.05);
    auto scenario = LoadScenario(row.scenario);
    const auto slow = RunVariants(scenario);
    EXPECT_GT(slow.at("5 nodes").coordinator_utilization, 0.97);
    scenario.coordinator.seconds_a_task /= 10;
    scenario.coordinator.seconds_a_byte_sent /= 10;
    scenario.coordinator.seconds_a_byte_received /= 10;
    const auto fast = RunVariants(scenario);
    const double gain = fast.at("1 node").makespan_seconds / fast.at("5 nodes").makespan_seconds;
    std::printf("%s, central node ten times as fast: %.2f\n", row.scenario, gain);
    EXPECT_GT(gain, 4.8);
  }
}

// The same jobs, their blocks kept by the workers and passed on from one to the other.
TEST(Melesio, BlocksBetweenWorkersScaleTo4Point9) {
  const auto runs = ScaleOut("melesio-between-workers");
  for (std::size_t nodes = 1; nodes <= kMostNodes; ++nodes) {
    const ScenarioRun& run = runs[nodes - 1];
    std::printf(
        "between workers, %zu nodes: %.3f s, %.2f; %.0f MB pass the central node, CPU %.0f %%\n",
        nodes, run.makespan_seconds, Gain(runs, nodes), run.coordinator_bytes / 1e6,
        run.coordinator_utilization * 100);
  }
  EXPECT_GE(Gain(runs, 5), 4.9);
}

}  // namespace
}  // namespace evenkeel
