#include <gtest/gtest.h>

#include "operator/coordinator_poller.h"

namespace evenkeel::controller {
namespace {

using kube::ObjectKey;
using std::chrono::milliseconds;
using std::chrono::seconds;

const ObjectKey kFirst{"lab", "first"};
const ObjectKey kSecond{"lab", "second"};

class PollScheduleTest : public testing::Test {
 protected:
  PollSchedule schedule_{PollLimits{}};
  Instant now_{seconds(1000)};
};

TEST_F(PollScheduleTest, ANewJobIsPolledAtOnceAndNotTwiceAtATime) {
  EXPECT_EQ(schedule_.NextDue(), kNever);
  schedule_.Add(kFirst, now_);
  EXPECT_EQ(schedule_.Take(now_), kFirst);
  EXPECT_FALSE(schedule_.Take(now_ + seconds(100)));
  schedule_.Add(kFirst, now_);  // again: no news
  EXPECT_FALSE(schedule_.Take(now_ + seconds(100)));
}

TEST_F(PollScheduleTest, AJobThatHasJustBegunIsPolledOften) {
  schedule_.Add(kFirst, now_);
  int asked = 0;
  for (const Instant end = now_ + seconds(10); now_ < end; now_ = schedule_.NextDue(), ++asked) {
    ASSERT_TRUE(schedule_.Take(now_));
    schedule_.Done(kFirst, {true, seconds(1000)}, now_);
  }
  EXPECT_EQ(asked, 12);
}

TEST_F(PollScheduleTest, PollsMoreOftenNearTheEnd) {
  schedule_.Add(kFirst, now_);
  now_ += seconds(100);
  for (const auto& [eta, pause] :
       {std::pair<std::optional<Duration>, Duration>{std::nullopt, milliseconds(2500)},
        {seconds(1000), seconds(5)},
        {seconds(4), seconds(2)},
        {milliseconds(1), milliseconds(500)}}) {
    ASSERT_TRUE(schedule_.Take(now_));
    schedule_.Done(kFirst, {true, eta}, now_);
    EXPECT_EQ(schedule_.NextDue() - now_, pause);
    now_ = schedule_.NextDue();
  }
}

TEST_F(PollScheduleTest, AThousandJobsTogetherArePolledTenTimesASecond) {
  constexpr int kJobs = 1000;
  for (int i = 0; i < kJobs; ++i) schedule_.Add({"lab", std::to_string(i)}, now_);
  int asked = 0;
  const Instant end = now_ + seconds(1000);
  while (now_ < end) {
    while (const auto job = schedule_.Take(now_)) {
      ++asked;
      schedule_.Done(*job, {true, seconds(1)}, now_);
    }
    now_ = schedule_.NextDue();
  }
  EXPECT_NEAR(asked, 10000, 1000);
}

TEST_F(PollScheduleTest, AnUrgentPollKeepsAMinimumInterval) {
  schedule_.Add(kFirst, now_);
  ASSERT_TRUE(schedule_.Take(now_));
  schedule_.Done(kFirst, {true, seconds(100)}, now_);
  schedule_.Hurry(kFirst, now_ + milliseconds(100));
  EXPECT_EQ(schedule_.NextDue(), now_ + milliseconds(500));
  schedule_.Hurry(kFirst, now_ + seconds(3));
  EXPECT_EQ(schedule_.NextDue(), now_ + milliseconds(500)) << "never put off";
  schedule_.Hurry(kSecond, now_);  // unknown: no harm
}

TEST_F(PollScheduleTest, AnUrgentPollDuringAPollIsRemembered) {
  schedule_.Add(kFirst, now_);
  ASSERT_TRUE(schedule_.Take(now_));
  schedule_.Hurry(kFirst, now_);
  schedule_.Done(kFirst, {true, seconds(100)}, now_);
  EXPECT_EQ(schedule_.NextDue(), now_ + milliseconds(500));
}

TEST_F(PollScheduleTest, ARemovedJobIsNotPolled) {
  schedule_.Add(kFirst, now_);
  schedule_.Add(kSecond, now_);
  ASSERT_EQ(schedule_.Take(now_), kFirst);
  schedule_.Remove(kFirst);
  schedule_.Done(kFirst, {true, std::nullopt}, now_);
  schedule_.Remove(kSecond);
  EXPECT_EQ(schedule_.NextDue(), kNever);
  EXPECT_EQ(schedule_.Size(), 0U);
}

TEST_F(PollScheduleTest, ACoordinatorThatDoesNotAnswerIsPolledLessOften) {
  schedule_.Add(kFirst, now_);
  Duration pause{};
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(schedule_.Take(now_));
    schedule_.Done(kFirst, {}, now_);
    EXPECT_GE(schedule_.NextDue() - now_, pause);
    pause = schedule_.NextDue() - now_;
    now_ = schedule_.NextDue();
  }
  EXPECT_EQ(pause, seconds(30));
  ASSERT_TRUE(schedule_.Take(now_));
  schedule_.Done(kFirst, {true, milliseconds(1)}, now_);
  EXPECT_EQ(schedule_.NextDue() - now_, milliseconds(500));
}

TEST_F(PollScheduleTest, SilentCoordinatorsOfOneNamespaceDoNotHoldUpAnother) {
  const PollLimits limits;
  for (std::size_t i = 0; i < 2 * limits.max_calls; ++i) {
    schedule_.Add({"hostile", std::to_string(i)}, now_);
  }
  std::size_t calls = 0;
  while (schedule_.Take(now_)) ++calls;
  EXPECT_EQ(calls, limits.max_calls_per_namespace);
  EXPECT_EQ(schedule_.NextDue(), kNever);
  schedule_.Add(kFirst, now_);
  EXPECT_EQ(schedule_.Take(now_), kFirst);
  schedule_.Done({"hostile", "0"}, {}, now_);
  EXPECT_EQ(schedule_.Take(now_)->namespace_name, "hostile");
}

TEST_F(PollScheduleTest, AllNamespacesTogetherStayWithinTheLimit) {
  const PollLimits limits;
  for (int space = 0; space < 20; ++space) {
    for (std::size_t i = 0; i < limits.max_calls_per_namespace; ++i) {
      schedule_.Add({std::to_string(space), std::to_string(i)}, now_);
    }
  }
  std::size_t calls = 0;
  while (schedule_.Take(now_)) ++calls;
  EXPECT_EQ(calls, limits.max_calls);
}

TEST_F(PollScheduleTest, ManyJobsOfOneNamespaceDoNotSlowDownTheOneOfAnother) {
  for (int i = 0; i < 1000; ++i) schedule_.Add({"crowd", std::to_string(i)}, now_);
  schedule_.Add(kFirst, now_);
  int polled = 0;
  for (const Instant end = now_ + seconds(100); now_ < end; now_ = schedule_.NextDue()) {
    while (const auto job = schedule_.Take(now_)) {
      if (*job == kFirst) ++polled;
      schedule_.Done(*job, {true, seconds(1)}, now_);
    }
  }
  EXPECT_GE(polled, 150);
}

TEST_F(PollScheduleTest, AHundredSuspendingJobsArePolledEveryTwoSeconds) {
  for (int i = 0; i < 100; ++i) schedule_.Add({"lab", std::to_string(i)}, now_);
  int polled = 0;
  for (const Instant end = now_ + seconds(20); now_ < end; now_ = schedule_.NextDue()) {
    while (const auto job = schedule_.Take(now_)) {
      ++polled;
      schedule_.Done(*job, {true, seconds(1000), true}, now_);
    }
  }
  EXPECT_NEAR(polled, 1000, 150);
}

}  // namespace
}  // namespace evenkeel::controller
