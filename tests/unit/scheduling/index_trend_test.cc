#include "core/scheduling/index_trend.h"

#include <gtest/gtest.h>

#include "core/base/rng.h"

namespace evenkeel::scheduling {
namespace {

using Direction = IndexTrend::Direction;

class IndexTrendTest : public testing::Test {
 protected:
  IndexTrendTest() {
    trend.AddWorker();
    trend.AddWorker();
  }
  /// Two workers, one ten times as fast, take turns at tasks of `seconds(index)`.
  template <typename Seconds>
  void Run(model::TaskIndex tasks, const Seconds& length) {
    for (model::TaskIndex i = 0; i < tasks; ++i) {
      const auto worker = static_cast<std::uint32_t>(i % 2);
      trend.Observe({worker}, {i, i + 1}, length(static_cast<double>(i)) * (worker == 0 ? 10 : 1));
    }
  }
  IndexTrend trend;
};

TEST_F(IndexTrendTest, FindsTasksThatBecomeLonger) {
  Run(12, [](double i) { return 3 + i; });
  EXPECT_EQ(trend.Found(), Direction::kRising);
}

TEST_F(IndexTrendTest, FindsTasksThatBecomeShorter) {
  Run(12, [](double i) { return 60 - 4 * i; });
  EXPECT_EQ(trend.Found(), Direction::kFalling);
}

TEST_F(IndexTrendTest, EqualTasksHaveNoTrendThoughWorkersAreUnequal) {
  Run(100, [](double) { return 3; });
  EXPECT_EQ(trend.Found(), Direction::kNone);
}

TEST_F(IndexTrendTest, AFewTasksShowNothing) {
  Run(6, [](double i) { return 1 + i; });
  EXPECT_EQ(trend.Found(), Direction::kNone);
}

// Eight tasks that become a little longer, and a report of shorter ones behind them.
TEST_F(IndexTrendTest, AReportOfManyTasksCountsMoreThanOfOne) {
  const auto found = [](std::int64_t behind) {
    IndexTrend one_worker;
    one_worker.AddWorker();
    for (model::TaskIndex i = 0; i < 8; ++i) {
      one_worker.Observe({0}, {i, i + 1}, 1 + 0.2 * static_cast<double>(i));
    }
    one_worker.Observe({0}, {8, 8 + behind}, 0.6 * static_cast<double>(behind));
    return one_worker.Found();
  };
  EXPECT_EQ(found(1), Direction::kNone);
  EXPECT_EQ(found(16), Direction::kFalling);
}

TEST_F(IndexTrendTest, RandomTimesRarelyLookLikeATrend) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    trend = IndexTrend();
    trend.AddWorker();
    trend.AddWorker();
    Rng rng(seed);
    Run(60, [&](double) { return rng.Exponential(5); });
    found += trend.Found() == Direction::kNone ? 0 : 1;
  }
  EXPECT_LE(found, 4);
}

TEST_F(IndexTrendTest, TheTimeOfARangeIsThatOfItsMiddle) {
  for (model::TaskIndex i = 0; i < 400; i += 20) {
    trend.Observe({0}, {i, i + 20}, 20 * (100 + static_cast<double>(i)));
  }
  EXPECT_EQ(trend.Found(), Direction::kRising);
}

}  // namespace
}  // namespace evenkeel::scheduling
