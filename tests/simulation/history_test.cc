// The gain from a history of rates, and the cost of a wrong one: medians over seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/example_simulations.h"

namespace evenkeel {
namespace {

using simulator::NodeModel;
using simulator::Simulation;
using simulator::SimulationConfig;

constexpr std::uint64_t kSeeds = 21;
// The costs of these tasks are nanoseconds at speed 1.
constexpr double kUnitsASecond = 1e9;

struct Medians {
  double efficiency = 0;
  double moves = 0;
};

double MedianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Weights are inverted unless `tell` changes them.
Medians Measure(const std::string& name, const std::function<void(NodeModel&)>& tell) {
  std::vector<double> efficiencies;
  std::vector<double> moves;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimulationConfig simulation = support::SixteenWorkers(seed, true, true);
    for (NodeModel& node : simulation.nodes) tell(node);
    const auto outcome = Simulation(simulation).Run();
    EXPECT_EQ(outcome.state, model::JobState::kComplete) << name << " seed " << seed;
    efficiencies.push_back(support::FluidBound(simulation) / ToSeconds(outcome.makespan));
    moves.push_back(static_cast<double>(outcome.progress.moves.reserved));
  }
  const Medians medians{MedianOf(efficiencies), MedianOf(moves)};
  std::printf("%-32s efficiency %.4f  moves %.0f\n", name.c_str(), medians.efficiency,
              medians.moves);
  return medians;
}

/// Weights were 1 / speed.
double SpeedOf(const NodeModel& node) { return 1 / node.ratio; }

void SetTrueRate(NodeModel& node) {
  node.ratio = SpeedOf(node);
  node.rate = node.ratio * kUnitsASecond;
  node.sigma = 0.12;
}

TEST(History, CorrectHistorySavesMoves) {
  const Medians labels = Measure("labels upside down", [](NodeModel&) {});
  const Medians history = Measure("history", SetTrueRate);
  EXPECT_LT(history.moves, 0.7 * labels.moves);
  // The first measurements correct the wrong labels.
  constexpr double kGranularity = 0.005;  // of the last tasks
  EXPECT_GE(history.efficiency, labels.efficiency - kGranularity);
}

// As sure as a history can be, and wrong: upside down, and all of it too fast or too slow.
TEST(History, WrongHistoryCostsNoMoreThanWrongLabels) {
  for (const double factor : {1.0, 1e-6, 1e-2, 1e2, 1e6}) {
    const auto lie = [factor](NodeModel& node) {
      node.rate = node.ratio * kUnitsASecond * factor;
      node.sigma = 0.1;
    };
    EXPECT_GE(Measure("upside down, factor " + std::to_string(factor), lie).efficiency, 0.955);
  }
}

TEST(History, TheRightRatiosWithAWrongUnitAreStillRight) {
  const double right = Measure("history", SetTrueRate).efficiency;
  for (const double factor : {1e-6, 1e-2, 1e2, 1e6}) {
    const auto tell = [factor](NodeModel& node) {
      SetTrueRate(node);
      *node.rate *= factor;
    };
    EXPECT_GE(Measure("factor " + std::to_string(factor), tell).efficiency, right - 0.01);
  }
}

}  // namespace
}  // namespace evenkeel
