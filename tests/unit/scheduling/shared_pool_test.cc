#include "core/scheduling/shared_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace evenkeel::scheduling {
namespace {

using model::IndexRange;
using TakenRanges = std::vector<IndexRange>;

TEST(SharedPool, TasksLeaveInIndexOrder) {
  SharedPool pool;
  pool.Insert({10, 14});
  pool.Insert({2, 4});
  EXPECT_EQ(pool.Tasks(), 6);
  EXPECT_EQ(pool.TakeFirst(3), (TakenRanges{{2, 4}, {10, 11}}));
  EXPECT_EQ(pool.TakeFirst(100), (TakenRanges{{11, 14}}));
  EXPECT_TRUE(pool.Empty());
  EXPECT_TRUE(pool.TakeFirst(1).empty());
}

TEST(SharedPool, AReturnedRangeIsJoinedAndGoesOutFirst) {
  SharedPool pool;
  pool.Insert(model::RangeSet(IndexRange{0, 20}));
  EXPECT_EQ(pool.TakeFirst(10), (TakenRanges{{0, 10}}));
  pool.Insert({5, 10});
  EXPECT_EQ(pool.TakeFirst(7), (TakenRanges{{5, 12}}));
}

TEST(SharedPool, WithdrawnTasksAreNotHandedOut) {
  SharedPool pool;
  pool.Insert({0, 10});
  pool.Withdraw({2, 4});
  pool.Withdraw({20, 30});
  EXPECT_EQ(pool.Tasks(), 8);
  EXPECT_FALSE(pool.Contains({0, 3}));
  EXPECT_TRUE(pool.Contains({4, 10}));
  EXPECT_EQ(pool.TakeFirst(3), (TakenRanges{{0, 2}, {4, 5}}));
}

TEST(SharedPoolDeathTest, ATaskIsInThePoolOnce) {
  SharedPool pool;
  pool.Insert({0, 10});
  EXPECT_DEATH(pool.Insert({9, 11}), "twice");
}

TEST(LiveWorkers, TheNextLivingWorkerIsFoundInTheOrderOfNumbers) {
  LiveWorkers live;
  EXPECT_FALSE(live.AnyAlive());
  live.Add(3);
  EXPECT_EQ(live.NextAlive({2}), WorkerId{0});
  live.Set({0}, false);
  EXPECT_EQ(live.NextAlive({2}), WorkerId{1});
  live.Set({1}, false);
  EXPECT_EQ(live.NextAlive({2}), WorkerId{2}) << "there is no other";
  EXPECT_TRUE(live.AnyAlive());
  live.Set({2}, false);
  EXPECT_FALSE(live.AnyAlive());
  EXPECT_EQ(live.Size(), 3u);
}

}  // namespace
}  // namespace evenkeel::scheduling
