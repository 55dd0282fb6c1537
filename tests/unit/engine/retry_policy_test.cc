#include "core/engine/retry_policy.h"

#include <gtest/gtest.h>

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Verdict = RetryPolicy::Verdict;
using Action = model::ExitCodeRule::Action;

constexpr Instant kFailedAt{seconds(5)};

TEST(RetryPolicy, PausesDoubleUpToAMinute) {
  model::TaskPolicy policy;
  policy.backoff_limit_per_task = 20;
  RetryPolicy retries(policy);
  EXPECT_EQ(retries.NextDue(), kNever);
  const Duration pauses[] = {milliseconds(100),    milliseconds(200),    milliseconds(400),
                             milliseconds(800),    milliseconds(1'600),  milliseconds(3'200),
                             milliseconds(6'400),  milliseconds(12'800), milliseconds(25'600),
                             milliseconds(51'200), seconds(60),          seconds(60)};
  for (const Duration pause : pauses) {
    EXPECT_EQ(retries.CountFailure(7, "a", {}), Verdict::kRetry);
    retries.RetryLater(7, kFailedAt);
    EXPECT_EQ(retries.NextDue(), kFailedAt + pause) << retries.Failures(7);
    retries.Update(kFailedAt + pause - Duration{1});
    EXPECT_FALSE(retries.TakeDue());
    retries.Update(kFailedAt + pause);
    EXPECT_EQ(retries.TakeDue(), 7);
    EXPECT_FALSE(retries.TakeDue());
  }
}

TEST(RetryPolicy, CountsAttemptsOfEachTask) {
  model::TaskPolicy policy;
  policy.backoff_limit_per_task = 1;
  RetryPolicy retries(policy);
  EXPECT_EQ(retries.CountFailure(3, "a", {}), Verdict::kRetry);
  EXPECT_EQ(retries.CountFailure(4, "a", {}), Verdict::kRetry);
  EXPECT_EQ(retries.CountFailure(3, "b", {}), Verdict::kTaskFailed);
  EXPECT_EQ(retries.Failures(3), 2);
  EXPECT_EQ(retries.Failures(5), 0);
  EXPECT_TRUE(retries.FailedOn(3, "a") && retries.FailedOn(3, "b"));
  EXPECT_TRUE(retries.FailedLastOn(3, "b") && !retries.FailedLastOn(3, "a"));
  EXPECT_EQ(retries.NodesOf(3), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(retries.NodesOf(5).empty());
}

TEST(RetryPolicy, TheFirstRuleThatMatchesAnExitCodeCounts) {
  model::TaskPolicy policy;
  policy.backoff_limit_per_task = 0;
  policy.on_exit_codes = {{Action::kIgnore, true, {3, 75}},
                          {Action::kFailTask, true, {4, 3}},
                          {Action::kFailJob, false, {1, 3, 4}}};
  RetryPolicy retries(policy);
  EXPECT_EQ(retries.CountFailure(0, "a", 75), Verdict::kRetry);
  EXPECT_EQ(retries.CountFailure(0, "a", 3), Verdict::kRetry) << "not charged";
  EXPECT_EQ(retries.CountFailure(1, "a", 4), Verdict::kTaskFailed);
  EXPECT_EQ(retries.CountFailure(2, "a", 5), Verdict::kJobFailed);
  EXPECT_EQ(retries.CountFailure(3, "a", 1), Verdict::kTaskFailed) << "no rule matches: charged";
  EXPECT_EQ(retries.CountFailure(4, "a", {}), Verdict::kTaskFailed) << "rules need an exit code";
}

TEST(RetryPolicy, IgnoresABoundedNumberOfFailures) {
  model::TaskPolicy policy;
  policy.on_exit_codes = {{Action::kIgnore, true, {3}}};
  RetryPolicy retries(policy);
  for (int n = 0; n < RetryPolicy::kMaxIgnored; ++n) {
    ASSERT_EQ(retries.CountFailure(0, "a", 3), Verdict::kRetry) << n;
  }
  EXPECT_EQ(retries.CountFailure(0, "a", 3), Verdict::kTaskFailed);
}

TEST(RetryPolicy, ATaskThatWasCompletedMeanwhileIsNotDue) {
  RetryPolicy retries(model::TaskPolicy{});
  for (const model::TaskIndex task : {7, 8, 9}) {
    EXPECT_EQ(retries.CountFailure(task, "a", {}), Verdict::kRetry);
  }
  retries.RetryLater(7, kFailedAt);
  retries.RetryNow(8);
  retries.Park(9);
  retries.Forget({0, 100});
  retries.Update(kFailedAt + seconds(1));
  EXPECT_FALSE(retries.TakeDue());
  EXPECT_FALSE(retries.TakeParked());
  EXPECT_EQ(retries.Failures(7), 0);
}

TEST(RetryPolicy, OnlyADueTaskIsWithdrawn) {
  RetryPolicy retries(model::TaskPolicy{});
  (void)retries.CountFailure(7, "a", {});
  retries.RetryLater(7, kFailedAt);
  EXPECT_FALSE(retries.Withdraw(7)) << "it pauses";
  retries.Update(kFailedAt + seconds(1));
  EXPECT_TRUE(retries.Withdraw(7));
  EXPECT_FALSE(retries.TakeDue());
}

TEST(RetryPolicy, ParkedTasksAreDueAgainWhenSomethingChanges) {
  RetryPolicy retries(model::TaskPolicy{});
  retries.Park(3);
  retries.Park(4);
  EXPECT_FALSE(retries.AnyDue());
  EXPECT_EQ(retries.TakeParked(), 3);
  retries.UnparkAll();
  EXPECT_EQ(retries.TakeDue(), 4);
  EXPECT_FALSE(retries.TakeDue()) << "task 3 was taken";
}

}  // namespace
}  // namespace evenkeel::engine
