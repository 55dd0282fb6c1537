// Zubov and Kupin: how much weights by fuzzy estimation gain, as the end of the search for primes
// grows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/scenario_files.h"

namespace evenkeel {
namespace {

constexpr const char* kWeights[] = {"zubov-1-equal", "zubov-2-two-nodes", "zubov-3-weights-4-4-1",
                                    "zubov-4-weights-5-5-1", "zubov-5-weights-6-6-1"};

std::map<std::string, simulator::ScenarioRun> RunUpTo(const std::string& name, int end) {
  constexpr const char* kWritten = "end: 60000";
  std::string text = TextOfScenario(name);
  const std::size_t at = text.find(kWritten);
  EXPECT_NE(at, std::string::npos) << name;
  text.replace(at, std::string(kWritten).size(), "end: " + std::to_string(end));
  return RunVariants(ParseScenarioText(text, name));
}

// About 1x at 1000, where messages are all that there is, and several times at 300000.
TEST(Zubov, TheGainOverEqualLoadingGrowsWithTheEndOfTheSearch) {
  std::vector<double> gains;
  for (const int end : {1000, 3000, 10'000, 30'000, 100'000, 300'000}) {
    std::vector<double> seconds;
    std::transform(
        std::begin(kWeights), std::end(kWeights), std::back_inserter(seconds),
        [end](const char* name) { return RunUpTo(name, end).at("Interleaved").makespan_seconds; });
    const auto by_cost = RunUpTo("zubov-6-measured-weights", end).at("TailStealing");
    gains.push_back(seconds[0] / seconds[3]);
    std::printf(
        "%6d: equal %.5g s, (1,1,0) %.5g, (4,4,1) %.5g, (5,5,1) %.5g, (6,6,1) %.5g, by cost"
        " %.5g (bound %.5g); (5,5,1) gains %.2f\n",
        end, seconds[0], seconds[1], seconds[2], seconds[3], seconds[4], by_cost.makespan_seconds,
        by_cost.lower_bound_seconds, gains.back());
    if (end >= 30'000) {
      EXPECT_LT(by_cost.makespan_seconds, seconds[3] / 1.08);
    }
  }
  EXPECT_LT(gains.front(), 1.5);
  EXPECT_GT(gains.back(), 4);
  for (std::size_t i = 1; i < gains.size(); ++i) EXPECT_GT(gains[i], gains[i - 1] * 0.99);
}

}  // namespace
}  // namespace evenkeel
