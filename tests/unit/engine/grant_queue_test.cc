#include "core/engine/grant_queue.h"

#include <gtest/gtest.h>

namespace evenkeel::engine {
namespace {

using model::IndexRange;

Grant Of(std::uint64_t id, IndexRange range, std::int32_t attempt = 0, bool copy = false) {
  return {GrantId{id}, range, copy, attempt, {}};
}

TEST(GrantQueue, TakesTasksInOrderAndCountsTheRest) {
  GrantQueue queue;
  queue.Add(Of(1, {0, 5}));
  queue.Add(Of(2, {9, 10}));
  EXPECT_EQ(queue.Tasks(), 6);
  EXPECT_EQ(queue.TakeFirst(3), Of(1, {0, 3}));
  EXPECT_EQ(queue.TakeFirst(100), Of(1, {3, 5})) << "never of two grants";
  EXPECT_EQ(queue.Tasks(), 1);
  EXPECT_EQ(queue.TakeFirst(1), Of(2, {9, 10}));
  EXPECT_TRUE(queue.Empty());
  EXPECT_EQ(queue.Tasks(), 0);
}

TEST(GrantQueue, TasksThatFailedBeforeAndTasksPutBackGoFirst) {
  GrantQueue queue;
  queue.Add(Of(1, {0, 5}));
  queue.Add(Of(2, {7, 8}, 2));
  EXPECT_EQ(queue.Grants().front(), Of(2, {7, 8}, 2));
  queue.PutBack(Of(3, {20, 22}));
  EXPECT_EQ(queue.TakeFirst(10), Of(3, {20, 22}));
  EXPECT_EQ(queue.Tasks(), 6);
}

TEST(GrantQueue, AnEmptyGrantIsNotKept) {
  GrantQueue queue;
  queue.Add(Of(1, {3, 3}));
  queue.PutBack(Of(1, {3, 3}));
  EXPECT_TRUE(queue.Empty());
}

TEST(GrantQueue, GivesTasksFromTheEndButNeitherCopiesNorRetries) {
  GrantQueue queue;
  queue.Add(Of(1, {0, 4}));
  queue.Add(Of(2, {10, 12}));
  queue.Add(Of(3, {20, 22}, 0, true));
  queue.Add(Of(4, {30, 31}, 1));
  EXPECT_EQ(queue.TakeLast(3, false), (std::vector<Grant>{Of(2, {10, 12}), Of(1, {3, 4})}));
  EXPECT_EQ(queue.Tasks(), 6);
  EXPECT_EQ(queue.TakeLast(100, true), (std::vector<Grant>{Of(1, {0, 3}), Of(4, {30, 31})}));
  EXPECT_EQ(queue.Tasks(), 2);
  EXPECT_EQ(queue.TakeAll(), (std::vector<Grant>{Of(3, {20, 22}, 0, true)}));
  EXPECT_EQ(queue.Tasks(), 0);
}

TEST(GrantQueue, RemovesTasksFromTheMiddleOfAGrant) {
  GrantQueue queue;
  queue.Add(Of(1, {0, 10}));
  model::RangeSet removed;
  removed.Insert({2, 4});
  removed.Insert({9, 30});
  queue.Remove(removed, GrantId{});
  EXPECT_EQ(queue.Tasks(), 7);
  EXPECT_EQ(queue.TakeAll(), (std::vector<Grant>{Of(1, {0, 2}), Of(1, {4, 9})}));
}

TEST(GrantQueue, RemovesNothingOfLaterGrants) {
  GrantQueue queue;
  queue.Add(Of(4, {0, 2}));
  queue.Add(Of(5, {2, 4}));
  model::RangeSet removed;
  removed.Insert({0, 4});
  queue.Remove(removed, GrantId{4});
  EXPECT_EQ(queue.Tasks(), 2);
  EXPECT_EQ(queue.TakeAll(), (std::vector<Grant>{Of(5, {2, 4})}));
}

}  // namespace
}  // namespace evenkeel::engine
