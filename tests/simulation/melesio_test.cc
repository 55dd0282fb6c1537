// Melesio, "Optimizing Raspberry Pi for Distributed Matrix Multiplication" (2024): one to five Pi 5
// beside a central node. His runs are p squared products of blocks, not whole products.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "simulator/summary.h"
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

/// Medians over the repetitions, with 1 to 5 nodes.
struct ScaledOut {
  OfNodes seconds{};
  OfNodes cpu{};  ///< of the central node, 0..1
  OfNodes megabytes{};

  [[nodiscard]] double Gain(std::size_t nodes) const { return seconds[0] / seconds[nodes - 1]; }
};

ScaledOut ScaleOut(const simulator::Scenario& scenario) {
  std::array<std::array<std::vector<double>, 3>, kMostNodes> all;
  EXPECT_EQ(scenario.variants.size(), kMostNodes);
  for (std::int64_t n = 0; n < scenario.repetitions; ++n) {
    const simulator::Repetition repetition(scenario, scenario.seed + static_cast<std::uint64_t>(n));
    for (const auto& variant : scenario.variants) {
      const ScenarioRun run = repetition.Run(variant);
      EXPECT_EQ(run.state, model::JobState::kComplete);
      auto& values = all[static_cast<std::size_t>(run.nodes - 1)];
      values[0].push_back(run.makespan_seconds);
      values[1].push_back(run.coordinator_utilization);
      values[2].push_back(run.coordinator_bytes / 1e6);
    }
  }
  ScaledOut scaled;
  for (std::size_t n = 0; n < kMostNodes; ++n) {
    scaled.seconds[n] = simulator::MedianOf(all[n][0]).value;
    scaled.cpu[n] = simulator::MedianOf(all[n][1]).value;
    scaled.megabytes[n] = simulator::MedianOf(all[n][2]).value;
  }
  return scaled;
}

/// Table 4.6: error of each cell, relative to the published value.
OfNodes ErrorsOf(const ScaledOut& scaled, const Aggregation& published) {
  const double alone = published.milliseconds[0] / 1000;
  EXPECT_NEAR(scaled.seconds[0], alone, 0.01 * alone) << "one node is calibrated";
  OfNodes errors{};
  for (std::size_t nodes = 1; nodes <= kMostNodes; ++nodes) {
    const double paper = published.milliseconds[0] / published.milliseconds[nodes - 1];
    errors[nodes - 1] = scaled.Gain(nodes) / paper - 1;
    std::printf(
        "%s, %zu: %.3f s, %.2f, published %.2f (%+.1f %%); CPU of the central node"
        " %.0f %%, published %.1f %%\n",
        published.scenario, nodes, scaled.seconds[nodes - 1], scaled.Gain(nodes), paper,
        errors[nodes - 1] * 100, scaled.cpu[nodes - 1] * 100, published.cpu_percent[nodes - 1]);
  }
  return errors;
}

TEST(Melesio, SquareAggregationScalesAsPublished) {
  for (const Aggregation& square : {kSquare4, kSquare8}) {
    const ScaledOut scaled = ScaleOut(LoadScenario(square.scenario));
    for (const double error : ErrorsOf(scaled, square)) EXPECT_LT(std::abs(error), 0.05);
  }
}

// The central node's processor holds row aggregation up: with a faster one, its link does, which
// five nodes then use all the time.
TEST(Melesio, RowAggregationBendsBecauseOfTheCentralNode) {
  for (const Aggregation& row : {kRow4, kRow8}) {
    auto scenario = LoadScenario(row.scenario);
    const ScaledOut published = ScaleOut(scenario);
    const OfNodes errors = ErrorsOf(published, row);
    EXPECT_LT(std::abs(errors[3]), 0.10);
    EXPECT_LT(std::abs(errors[4]), 0.05);
    EXPECT_GT(published.cpu[kMostNodes - 1], 0.95);
    scenario.coordinator.seconds_a_task /= 10;
    scenario.coordinator.seconds_a_byte_sent /= 10;
    scenario.coordinator.seconds_a_byte_received /= 10;
    const ScaledOut scaled = ScaleOut(scenario);
    const double link_seconds =
        static_cast<double>(std::get<simulator::DrawnCosts>(scenario.tasks.costs).count) *
        scenario.tasks.input_bytes / scenario.coordinator.link_bytes_per_second;
    std::printf("%s, central node ten times as fast: %.3f s, %.2f; inputs take its link %.3f s\n",
                row.scenario, scaled.seconds[kMostNodes - 1], scaled.Gain(kMostNodes),
                link_seconds);
    EXPECT_LT(scaled.seconds[kMostNodes - 1], link_seconds * 1.03);
  }
}

// The same jobs, their blocks kept by the workers and passed on from one to the other.
TEST(Melesio, BlocksBetweenWorkersScaleTo4Point9) {
  auto scenario = LoadScenario("melesio-between-workers");
  for (const bool between : {true, false}) {
    scenario.tasks.blocks->between_workers = between;
    const ScaledOut scaled = ScaleOut(scenario);
    for (std::size_t nodes = 1; nodes <= kMostNodes; ++nodes) {
      std::printf(
          "blocks from %s, %zu nodes: %.3f s, %.2f; %.0f MB pass the central node,"
          " its CPU %.0f %%\n",
          between ? "workers" : "the central node", nodes, scaled.seconds[nodes - 1],
          scaled.Gain(nodes), scaled.megabytes[nodes - 1], scaled.cpu[nodes - 1] * 100);
    }
    if (between) {
      EXPECT_GE(scaled.Gain(kMostNodes), 4.9);
    }
  }
}

// The part of it that is due to blocks alone: each product still costs the central node the same.
TEST(Melesio, BlocksAloneTakeTheBendAwayButNotMessages) {
  auto scenario = LoadScenario("melesio-between-workers");
  const double all = ScaleOut(scenario).Gain(kMostNodes);
  scenario.coordinator.seconds_a_task = LoadScenario("melesio-row-4").coordinator.seconds_a_task;
  scenario.coordinator.seconds_a_message = 0;
  const auto scaled = ScaleOut(scenario);
  for (std::size_t nodes = 1; nodes <= kMostNodes; ++nodes) {
    std::printf("blocks from workers, a message a product, %zu nodes: %.2f\n", nodes,
                scaled.Gain(nodes));
  }
  EXPECT_GT(scaled.Gain(kMostNodes), 4.5);
  EXPECT_LT(scaled.Gain(kMostNodes), all);
}

}  // namespace
}  // namespace evenkeel
