// Efficiency of the strategies on the 16 workers of the design: thresholds on medians over seeds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "simulator/simulated_strategy.h"
#include "tests/support/example_simulations.h"

namespace evenkeel {
namespace {

using model::StrategyName;
using simulator::SimulatedStrategy;
using simulator::Simulation;
using simulator::SimulationConfig;

constexpr std::uint64_t kSeeds = 41;

struct Case {
  SimulatedStrategy strategy{};
  bool known = false;
  bool upside_down = false;
  bool dedicated_coordinator = true;
};

struct Medians {
  double efficiency = 0;
  double of_best = 0;  // shortest known schedule of the same tasks / makespan
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Medians Measure(const std::string& name, const Case& wanted) {
  std::vector<double> efficiencies;
  std::vector<double> of_best;
  double messages = 0;
  model::MoveCounts moves;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimulationConfig simulation = support::SixteenWorkers(seed, wanted.known, wanted.upside_down);
    simulation.job.balancing.strategy = wanted.strategy.strategy;
    simulation.technique = wanted.strategy.technique;
    simulation.job.balancing.master_slave.dedicated_coordinator = wanted.dedicated_coordinator;
    simulation.job.balancing.modified_master_slave.dedicated_coordinator =
        wanted.dedicated_coordinator;
    const auto outcome = Simulation(simulation).Run();
    EXPECT_EQ(outcome.state, model::JobState::kComplete) << name << " seed " << seed;
    const double makespan = ToSeconds(outcome.makespan);
    efficiencies.push_back(support::FluidBound(simulation) / makespan);
    of_best.push_back(support::GreedyBest(simulation) / makespan);
    messages += static_cast<double>(outcome.progress.messages);
    moves.reserved += outcome.progress.moves.reserved;
    moves.leased += outcome.progress.moves.leased;
    moves.copies += outcome.progress.moves.copies;
  }
  const auto mean = [](std::int64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(kSeeds);
  };
  const Medians medians{Median(efficiencies), Median(of_best)};
  std::printf(
      "%-28s efficiency %.4f (least %.4f)  of best %.4f  moves %.1f + %.1f + %.1f  %.0f messages\n",
      name.c_str(), medians.efficiency, *std::min_element(efficiencies.begin(), efficiencies.end()),
      medians.of_best, mean(moves.reserved), mean(moves.leased), mean(moves.copies),
      messages / static_cast<double>(kSeeds));
  return medians;
}

TEST(Efficiency, UnknownCostsBeatPlainPull) {
  const Medians ours = Measure("TailStealing unknown", {});
  const Medians pull = Measure("plain pull", {{StrategyName::kMasterSlave}});
  EXPECT_GE(ours.efficiency, 0.97);
  EXPECT_GT(ours.efficiency, pull.efficiency);
}

TEST(Efficiency, KnownCostsComeNearTheBestSchedule) {
  EXPECT_GE(Measure("TailStealing known", {{StrategyName::kTailStealing}, true}).of_best, 0.985);
}

TEST(Efficiency, WrongWeightsCostLittle) {
  EXPECT_GE(
      Measure("unknown, upside down", {{StrategyName::kTailStealing}, false, true}).efficiency,
      0.955);
  EXPECT_GE(Measure("known, upside down", {{StrategyName::kTailStealing}, true, true}).efficiency,
            0.955);
}

TEST(Efficiency, PublishedStrategiesStayBehind) {
  const Medians ours = Measure("TailStealing unknown", {});
  for (const SimulatedStrategy& strategy : simulator::AllSimulatedStrategies()) {
    if (ToString(strategy) == "TailStealing") continue;
    const Case as_published{strategy, false, false, false};
    EXPECT_LT(Measure(ToString(strategy), as_published).efficiency, ours.efficiency);
  }
}

}  // namespace
}  // namespace evenkeel
