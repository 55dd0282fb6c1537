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

TEST_F(IndexTrendTest, FitsTheLineOfRelativeCosts) {
  Run(40, [](double i) { return 3 + i; });  // 100 tasks of 3 to 103 s, with a mean of 53 s
  ASSERT_TRUE(trend.Refit(100));
  EXPECT_TRUE(trend.Fitted());
  EXPECT_NEAR(trend.RelativeCost(50), 1, 1e-9);
  EXPECT_NEAR(trend.RelativeCost(100), 103.0 / 53, 0.03);
  EXPECT_NEAR(trend.RelativeCost(0), 3.0 / 53, 0.03);
}

TEST_F(IndexTrendTest, TimesThatFallAreFittedAndStayPositive) {
  Run(40, [](double i) { return 60 - i; });
  ASSERT_TRUE(trend.Refit(100));
  EXPECT_GT(trend.RelativeCost(0), 1.5);
  EXPECT_NEAR(trend.RelativeCost(100), 0.05, 1e-9) << "by the line it would take no time at all";
  EXPECT_DOUBLE_EQ(trend.RelativeCost(200), 0.05);
}

TEST_F(IndexTrendTest, WithoutATrendAllTasksCostTheSame) {
  Run(100, [](double) { return 3; });
  EXPECT_FALSE(trend.Refit(100));
  EXPECT_FALSE(trend.Fitted());
  EXPECT_EQ(trend.RelativeCost(99), 1);
}

TEST_F(IndexTrendTest, ATrendThatIsGoneIsDropped) {
  Run(20, [](double i) { return 3 + i; });
  ASSERT_TRUE(trend.Refit(2000));
  Run(2000, [](double) { return 13; });
  EXPECT_TRUE(trend.Refit(2000)) << "costs have changed";
  EXPECT_EQ(trend.RelativeCost(1999), 1);
}

TEST_F(IndexTrendTest, FitsAgainOnlyWhenAQuarterMoreWasObserved) {
  Run(40, [](double i) { return 3 + i; });
  ASSERT_TRUE(trend.Refit(100));
  EXPECT_FALSE(trend.Refit(100));
  Run(10, [](double i) { return 3 + i; });
  EXPECT_FALSE(trend.Refit(100));
  Run(1, [](double i) { return 3 + i; });
  EXPECT_TRUE(trend.Refit(100));
}

TEST_F(IndexTrendTest, TheTimeOfARangeIsThatOfItsMiddle) {
  for (model::TaskIndex i = 0; i < 400; i += 20) {
    trend.Observe({0}, {i, i + 20}, 20 * (100 + static_cast<double>(i)));
  }
  EXPECT_EQ(trend.Found(), Direction::kRising);
}

}  // namespace
}  // namespace evenkeel::scheduling
