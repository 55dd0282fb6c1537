#include "simulator/summary.h"

#include <gtest/gtest.h>

#include <numeric>

namespace evenkeel::simulator {
namespace {

std::vector<double> UpTo(int last) {
  std::vector<double> values(static_cast<std::size_t>(last));
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Summary, TheMedianIsInTheMiddle) {
  EXPECT_EQ(MedianOf({3, 1, 2}).value, 2);
  EXPECT_EQ(MedianOf({4, 1, 2, 3}).value, 2.5);
  EXPECT_EQ(MedianOf({}).value, 0);
}

// Ranks of the sign test's interval from tables: 6 and 15 of 20, 40 and 61 of 100, 86 and 115 of
// 200.
TEST(Summary, TheIntervalIsThatOfTheSignTest) {
  struct Case {
    int count;
    double low;
    double high;
  };
  for (const Case& each : {Case{1, 1, 1}, Case{5, 1, 5}, Case{6, 1, 6}, Case{20, 6, 15},
                           Case{100, 40, 61}, Case{200, 86, 115}}) {
    const Median median = MedianOf(UpTo(each.count));
    EXPECT_EQ(median.low, each.low) << each.count;
    EXPECT_EQ(median.high, each.high) << each.count;
  }
}

TEST(Summary, OneRowAStrategyAndOnlyWhatCompletedCounts) {
  ScenarioRun run;
  run.scenario = "s";
  run.strategy = "a";
  run.state = model::JobState::kComplete;
  run.lower_bound_seconds = 2;
  run.makespan_seconds = 3;
  ScenarioRun other = run;
  other.strategy = "b";
  ScenarioRun failed = run;
  failed.state = model::JobState::kRunning;
  failed.makespan_seconds = 0;
  const auto rows = Summarize({run, other, failed});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].strategy, "a");
  EXPECT_EQ(rows[0].repetitions, 2);
  EXPECT_EQ(rows[0].completed, 1);
  EXPECT_EQ(rows[0].over_bound.value, 1.5);
}

}  // namespace
}  // namespace evenkeel::simulator
