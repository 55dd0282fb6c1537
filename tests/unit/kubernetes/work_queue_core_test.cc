#include <gtest/gtest.h>

#include <algorithm>

#include "kubernetes/work_queue.h"

namespace evenkeel::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Sums up the measurements of the queue.
struct Counter final : WorkQueueObserver {
  void OnAdded(std::size_t depth) override {
    ++added;
    deepest = std::max(deepest, depth);
  }
  void OnTaken(std::size_t, Duration in_queue) override { queued += in_queue; }
  void OnDone(Duration in_work) override { worked += in_work; }
  void OnRetry() override { ++retries; }

  int added = 0;
  std::size_t deepest = 0;
  Duration queued{};
  Duration worked{};
  int retries = 0;
};

class WorkQueueCoreTest : public ::testing::Test {
 protected:
  /// The name of the next item; empty when none is due.
  std::string Take() {
    const auto item = queue_.Take(now_);
    return item ? item->name : "";
  }

  Counter counter_;
  WorkQueueCore queue_{WorkQueueOptions{}, &counter_};
  Instant now_{};
  const ObjectKey a_{"", "a"};
  const ObjectKey b_{"", "b"};
};

TEST_F(WorkQueueCoreTest, FirstComeFirstServedAndOnlyOnce) {
  queue_.Add(a_, now_);
  queue_.Add(b_, now_);
  queue_.Add(a_, now_);
  EXPECT_EQ(Take(), "a");
  EXPECT_EQ(Take(), "b");
  EXPECT_EQ(Take(), "");
  EXPECT_EQ(counter_.added, 2);
  EXPECT_EQ(counter_.deepest, 2u);
}

TEST_F(WorkQueueCoreTest, TenThousandItemsOfANamespaceDoNotDelayAnother) {
  for (int i = 0; i < 10'000; ++i) queue_.Add({"busy", std::to_string(i)}, now_);
  queue_.Add({"quiet", "only"}, now_);
  EXPECT_EQ(Take(), "0");
  EXPECT_EQ(Take(), "only");
  for (int i = 1; i < 10'000; ++i) ASSERT_EQ(Take(), std::to_string(i)) << "in order";
  EXPECT_EQ(Take(), "");
  EXPECT_EQ(counter_.deepest, 10'001u);
}

TEST_F(WorkQueueCoreTest, NamespacesTakeTurnsThroughRetriesAndRepeats) {
  queue_.AddAfter({"x", "x1"}, seconds(1), now_);
  queue_.AddAfter({"x", "x2"}, seconds(2), now_);
  queue_.AddAfter({"y", "y1"}, seconds(3), now_);
  now_ += seconds(3);
  EXPECT_EQ(Take(), "x1");
  queue_.Add({"x", "x1"}, now_);
  queue_.Done({"x", "x1"}, now_);
  queue_.Add({"y", "y2"}, now_);
  queue_.Add({"z", "z1"}, now_);
  for (const char* const next : {"y1", "x2", "z1", "y2", "x1", ""}) EXPECT_EQ(Take(), next);
}

TEST_F(WorkQueueCoreTest, ANamespaceThatReturnsWaitsForItsTurn) {
  queue_.Add({"x", "x1"}, now_);
  queue_.Add({"y", "y1"}, now_);
  queue_.Add({"y", "y2"}, now_);
  EXPECT_EQ(Take(), "x1");
  queue_.Add({"x", "x2"}, now_);
  for (const char* const next : {"y1", "x2", "y2", ""}) EXPECT_EQ(Take(), next);
}

TEST_F(WorkQueueCoreTest, NoTwoWorkersHaveTheSameItem) {
  queue_.Add(a_, now_);
  EXPECT_EQ(Take(), "a");
  queue_.Add(a_, now_);
  queue_.Add(a_, now_);
  EXPECT_EQ(Take(), "") << "it is being worked on";
  queue_.Done(a_, now_);
  EXPECT_EQ(Take(), "a") << "again, because it was added while in progress";
  queue_.Done(a_, now_);
  EXPECT_EQ(Take(), "");
  EXPECT_TRUE(queue_.IsIdle());
}

TEST_F(WorkQueueCoreTest, IsAddedAtTheEarliestOfSeveralTimes) {
  queue_.AddAfter(a_, seconds(5), now_);
  queue_.AddAfter(a_, seconds(2), now_);
  queue_.AddAfter(a_, seconds(9), now_);
  EXPECT_EQ(queue_.NextDue(), now_ + seconds(2));
  EXPECT_EQ(Take(), "");
  now_ += seconds(2);
  EXPECT_EQ(Take(), "a");
  queue_.Done(a_, now_);
  now_ += seconds(60);
  EXPECT_EQ(Take(), "") << "the later times are forgotten";
  EXPECT_EQ(queue_.NextDue(), kNever);
}

TEST_F(WorkQueueCoreTest, TimesWithoutEndDoNotOverflow) {
  queue_.AddAfter(a_, Duration::max(), now_ + seconds(1));
  EXPECT_EQ(queue_.NextDue(), kNever);
  queue_.AddAfter(b_, -seconds(1), now_);
  EXPECT_EQ(Take(), "b");
}

TEST_F(WorkQueueCoreTest, FailuresDoubleThePauseFromFiveMilliseconds) {
  Duration expected = milliseconds(5);
  for (int i = 0; i < 40; ++i) {
    queue_.AddRateLimited(a_, now_);
    EXPECT_EQ(queue_.NextDue() - now_, std::min<Duration>(expected, seconds(1000))) << i;
    now_ = queue_.NextDue();
    EXPECT_EQ(Take(), "a");
    queue_.Done(a_, now_);
    if (expected < seconds(1000)) expected *= 2;
  }
  EXPECT_EQ(counter_.retries, 40);
  queue_.Forget(a_);
  EXPECT_EQ(queue_.Retries(a_), 0);
  queue_.AddRateLimited(a_, now_);
  EXPECT_EQ(queue_.NextDue() - now_, milliseconds(5));
  EXPECT_EQ(queue_.Retries(a_), 1);
}

TEST_F(WorkQueueCoreTest, AllItemsTogetherAreHeldToTenASecondAfterAHundred) {
  for (int i = 0; i < 100; ++i) queue_.AddRateLimited({"", std::to_string(i)}, now_);
  now_ += milliseconds(5);
  int taken = 0;
  while (!Take().empty()) ++taken;
  EXPECT_EQ(taken, 100);
  for (int i = 100; i < 120; ++i) queue_.AddRateLimited({"", std::to_string(i)}, now_);
  const Instant start = now_;
  for (; taken < 120; ++taken) {
    now_ = queue_.NextDue();
    ASSERT_NE(Take(), "");
  }
  EXPECT_NEAR(ToSeconds(now_ - start), 2.0, 0.01);
}

TEST_F(WorkQueueCoreTest, MeasuresWaitingAndWork) {
  queue_.Add(a_, now_);
  queue_.Add(b_, now_);
  now_ += seconds(2);
  Take();
  now_ += seconds(1);
  Take();
  now_ += seconds(4);
  EXPECT_EQ(counter_.queued, seconds(5));
  WorkQueueFigures figures = queue_.Figures(now_);
  EXPECT_EQ(figures.processing, 2u);
  EXPECT_EQ(figures.depth, 0u);
  EXPECT_EQ(figures.unfinished, seconds(9));
  EXPECT_EQ(figures.longest_running, seconds(5));
  queue_.Done(a_, now_);
  EXPECT_EQ(counter_.worked, seconds(5));
  EXPECT_EQ(queue_.Figures(now_).longest_running, seconds(4));
}

TEST_F(WorkQueueCoreTest, ShutDownStillHandsOutWhatIsDue) {
  queue_.Add(a_, now_);
  queue_.Add(b_, now_);
  EXPECT_EQ(Take(), "a");
  queue_.Add(a_, now_);
  queue_.AddAfter({"", "c"}, seconds(1), now_);
  queue_.ShutDown();
  queue_.Add({"", "d"}, now_);
  queue_.AddRateLimited({"", "e"}, now_);
  now_ += seconds(10);
  EXPECT_EQ(Take(), "b");
  queue_.Done(b_, now_);
  EXPECT_FALSE(queue_.IsIdle());
  queue_.Done(a_, now_);
  EXPECT_EQ(Take(), "a") << "added before the end";
  queue_.Done(a_, now_);
  EXPECT_EQ(Take(), "");
  EXPECT_TRUE(queue_.IsIdle());
}

TEST_F(WorkQueueCoreTest, DropLeavesNothing) {
  queue_.Add(a_, now_);
  queue_.Add(b_, now_);
  EXPECT_EQ(Take(), "a");
  queue_.Add(a_, now_);
  queue_.Drop();
  EXPECT_EQ(queue_.Figures(now_).depth, 0u);
  EXPECT_EQ(Take(), "");
  queue_.Done(a_, now_);
  EXPECT_EQ(Take(), "");
  EXPECT_TRUE(queue_.IsIdle());
}

}  // namespace
}  // namespace evenkeel::kube
