// Zubov and Kupin: how much weights by fuzzy estimation gain, as the end of the search for primes
// grows.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/scenario_files.h"

namespace evenkeel {
namespace {

using Weights = std::array<double, 3>;
constexpr Weights kEqual{1, 1, 1};
constexpr Weights kTwoNodes{1, 1, 0};
constexpr Weights kFour{4, 4, 1};
constexpr Weights kFive{5, 5, 1};
constexpr Weights kSix{6, 6, 1};

/// Until a process runs on a board, like those of mpirun; chosen, the paper does not say.
constexpr double kStartSeconds = 0.3;

simulator::Scenario UpTo(int end) {
  constexpr const char* kName = "zubov-6-measured-weights";
  constexpr const char* kWritten = "end: 60000";
  std::string text = TextOfScenario(kName);
  const std::size_t at = text.find(kWritten);
  EXPECT_NE(at, std::string::npos);
  text.replace(at, std::string(kWritten).size(), "end: " + std::to_string(end));
  auto scenario = ParseScenarioText(text, kName);
  for (auto& node : scenario.nodes) node.joins = simulator::Moment{kStartSeconds, 0};
  return scenario;
}

double SecondsOf(simulator::Scenario scenario, const std::string& strategy) {
  std::erase_if(scenario.variants, [&](const auto& variant) { return variant.name != strategy; });
  return RunVariants(scenario).at(strategy).makespan_seconds;
}

double Interleaved(simulator::Scenario scenario, const Weights& weights) {
  for (std::size_t n = 0; n < weights.size(); ++n) scenario.nodes.at(n).weight = weights[n];
  return SecondsOf(std::move(scenario), "Interleaved");
}

// About 1x at 1000, where the start takes all the time, and several times at 300000.
TEST(Zubov, TheGainOverEqualLoadingGrowsWithTheEndOfTheSearch) {
  std::vector<double> gains;
  for (const int end : {1000, 3000, 10'000, 30'000, 100'000, 300'000}) {
    const auto scenario = UpTo(end);
    const double equal = Interleaved(scenario, kEqual);
    const double five = Interleaved(scenario, kFive);
    const double by_cost = SecondsOf(scenario, "TailStealing");
    gains.push_back(equal / five);
    std::printf(
        "%6d: equal %.4g s, (1,1,0) %.4g, (4,4,1) %.4g, (5,5,1) %.4g, (6,6,1) %.4g, by cost"
        " %.4g; (5,5,1) gains %.2f\n",
        end, equal, Interleaved(scenario, kTwoNodes), Interleaved(scenario, kFour), five,
        Interleaved(scenario, kSix), by_cost, gains.back());
    if (end >= 30'000) {
      EXPECT_LT(by_cost, five / 1.08);
    }
  }
  EXPECT_LT(gains.front(), 1.1);
  EXPECT_GT(gains.back(), 4);
  for (std::size_t i = 1; i < gains.size(); ++i) EXPECT_GT(gains[i], gains[i - 1]);
}

}  // namespace
}  // namespace evenkeel
