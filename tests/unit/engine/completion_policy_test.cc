#include "core/engine/completion_policy.h"

#include <gtest/gtest.h>

namespace evenkeel::engine {
namespace {

using model::JobState;

constexpr const char* kRaw = "said\n\x1b[2J\xff";

TEST(CompletionPolicy, IsCompleteWhenAllTasksAreDurable) {
  CompletionPolicy completion(model::TaskPolicy{}, 3);
  EXPECT_FALSE(completion.Judge({}, {}));
  completion.AddDurable({.completed = 2, .wanted = 2});
  EXPECT_FALSE(completion.Judge({}, {}));
  completion.AddDurable({.completed = 1, .wanted = 1});
  const auto verdict = completion.Judge({}, {});
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->state, JobState::kComplete);
  EXPECT_EQ(verdict->reason, "");
}

TEST(CompletionPolicy, AllTasksWithinTheFailureLimitAreNoEarlySuccess) {
  model::TaskPolicy policy;
  policy.max_failed_tasks = 1;
  policy.success.succeeded_count = 1;
  CompletionPolicy completion(policy, 3);
  completion.AddDurable({.completed = 2, .wanted = 2, .failed = 1});
  EXPECT_EQ(completion.Judge({}, {})->reason, "") << "by all of its tasks";
  CompletionPolicy over_limit(policy, 3);
  over_limit.AddDurable({.completed = 1, .wanted = 1, .failed = 2});
  EXPECT_EQ(over_limit.Judge({}, {})->reason, model::kSuccessPolicyMet);
}

TEST(CompletionPolicy, AJobWithoutTasksIsComplete) {
  CompletionPolicy completion(model::TaskPolicy{}, 0);
  EXPECT_EQ(completion.Judge({}, {})->state, JobState::kComplete);
}

TEST(CompletionPolicy, AppendedTasksHaveToBeDurableToo) {
  CompletionPolicy completion(model::TaskPolicy{}, 1);
  completion.AddDurable({.completed = 1, .wanted = 1});
  completion.Append({1, 2});
  EXPECT_FALSE(completion.Judge({}, {}));
  EXPECT_EQ(completion.WantedWithin({0, 5}), 2);
}

TEST(CompletionPolicy, MoreFailedTasksThanAllowedFailTheJob) {
  model::TaskPolicy policy;
  policy.max_failed_tasks = 1;
  CompletionPolicy completion(policy, 9);
  completion.QuoteFailure(3, "b", kRaw);
  completion.QuoteFailure(4, "c", "another one");
  completion.AddDurable({.failed = 1});
  model::RangeSet failed(model::IndexRange{3, 4});
  EXPECT_FALSE(completion.Judge({}, failed));
  completion.AddDurable({.failed = 1});
  failed.Insert({4, 5});
  const auto verdict = completion.Judge({.commits = true}, failed);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->state, JobState::kFailed);
  EXPECT_EQ(verdict->reason,
            "2 tasks failed for good (3-4), maxFailedTasks is 1; task 3 on b: said??[2J?");
}

TEST(CompletionPolicy, AMetSuccessRuleWaitsForResultsInFlight) {
  model::TaskPolicy policy;
  policy.success.succeeded_count = 2;
  CompletionPolicy completion(policy, 9);
  completion.AddDurable({.completed = 1, .wanted = 1});
  EXPECT_FALSE(completion.Judge({}, {}));
  EXPECT_FALSE(completion.EndsEarly());
  completion.AddDurable({.completed = 1, .wanted = 1});
  EXPECT_FALSE(completion.Judge({.commits = true}, {}));
  EXPECT_TRUE(completion.EndsEarly());
  EXPECT_EQ(completion.Judge({}, {})->reason, model::kSuccessPolicyMet);
}

TEST(CompletionPolicy, ASuccessRuleThatCannotBeMetFailsTheJob) {
  model::TaskPolicy policy;
  policy.max_failed_tasks = 9;
  policy.success.succeeded_indexes = model::RangeSet(model::IndexRange{0, 2});
  CompletionPolicy completion(policy, 3);
  EXPECT_EQ(completion.WantedWithin({1, 3}), 1);
  completion.AddDurable({.completed = 2, .wanted = 1});
  EXPECT_FALSE(completion.Judge({}, {}));
  completion.AddDurable({.failed = 1});
  EXPECT_EQ(completion.Judge({}, {})->reason,
            "1 of the tasks that spec.taskPolicy.successPolicy asks for succeeded, it wants 2");
}

TEST(CompletionPolicy, AnExitCodeThatFailsTheJobComesFirst) {
  CompletionPolicy completion(model::TaskPolicy{}, 1);
  completion.AddDurable({.completed = 1, .wanted = 1, .failed = 0, .fails_job = "because"});
  EXPECT_EQ(completion.Judge({}, {})->reason, "because");
}

TEST(CompletionPolicy, DrainsUntilADeadline) {
  CompletionPolicy completion(model::TaskPolicy{}, 1);
  EXPECT_EQ(completion.DrainDeadline(), kNever);
  completion.Drain("stop", Instant{std::chrono::seconds(7)});
  EXPECT_TRUE(completion.Draining());
  EXPECT_EQ(completion.DrainDeadline(), Instant{std::chrono::seconds(7)});
  EXPECT_EQ(completion.DrainReason(), "stop");
}

}  // namespace
}  // namespace evenkeel::engine
