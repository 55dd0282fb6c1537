#include "core/scheduling/history/recency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace evenkeel::scheduling {
namespace {

constexpr std::int64_t kWeek = 7 * 86400;

/// What a rise so long ago counts.
double WeightAt(std::int64_t seconds_ago) {
  double weight = 0;
  for (const RecencyWindow& window : RecencyWindows(kWeek)) {
    if (seconds_ago <= window.seconds) weight += window.factor;
  }
  return weight;
}

TEST(Recency, OlderWorkCountsLessAndNoneCountsNothing) {
  double before = 1;
  for (std::int64_t ago = 60; ago <= kWeek; ago += 3600) {
    EXPECT_LE(WeightAt(ago), before);
    EXPECT_GT(WeightAt(ago), 0);
    before = WeightAt(ago);
  }
  EXPECT_GT(WeightAt(60), 0.95);
  EXPECT_EQ(WeightAt(kWeek + 1), 0);
}

TEST(Recency, TheWholeTimeIsLookedAt) {
  for (const std::int64_t whole : {std::int64_t{64}, std::int64_t{300}, kWeek}) {
    const auto windows = RecencyWindows(whole);
    EXPECT_EQ(windows.back().seconds, whole);
    for (const RecencyWindow& window : windows) {
      EXPECT_GE(window.seconds, 1);
      EXPECT_GT(window.factor, 0);
    }
  }
}

TEST(Recency, TheMeanAgeFollowsFromWhatIsLeft) {
  EXPECT_EQ(MeanAge(10, 10, kWeek), 0);
  EXPECT_NEAR(MeanAge(10, 5, kWeek), kWeek / 4.0, 1e-6);  // a half-life
  EXPECT_EQ(MeanAge(10, 0, kWeek), 0);
  EXPECT_EQ(MeanAge(0, 0, kWeek), 0);
  EXPECT_EQ(MeanAge(-1, 5, kWeek), 0);
  EXPECT_EQ(MeanAge(1, 5, kWeek), 0);
  EXPECT_EQ(MeanAge(std::numeric_limits<double>::infinity(), 5, kWeek), 0);
  EXPECT_EQ(MeanAge(1e300, 1, kWeek), kWeek);
}

}  // namespace
}  // namespace evenkeel::scheduling
