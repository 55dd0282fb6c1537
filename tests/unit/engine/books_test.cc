// Owner map, lease book and retry book.
#include <gtest/gtest.h>

#include "core/engine/lease_book.h"
#include "core/engine/retry_book.h"

namespace evenkeel::engine {
namespace {

using model::IndexRange;
using scheduling::WorkerId;
using std::chrono::milliseconds;
using std::chrono::seconds;
using List = std::vector<IndexRange>;

constexpr WorkerId kA{0};
constexpr WorkerId kB{1};
constexpr Instant kNow{seconds(5)};

TEST(OwnerMap, CutsPiecesWhereTheyAreTakenOut) {
  OwnerMap owners;
  owners.Insert({{0, 10}, kA, GrantId{1}});
  owners.Insert({{10, 12}, kB, GrantId{2}});
  const auto removed = owners.Remove({4, 11});
  ASSERT_EQ(removed.size(), 2U);
  EXPECT_EQ(removed[0].range, (IndexRange{4, 10}));
  EXPECT_EQ(removed[1].grant, GrantId{2});
  EXPECT_EQ(owners.Within({0, 20}).size(), 2U);
  EXPECT_EQ(owners.Within({0, 20})[1].range, (IndexRange{11, 12}));
  EXPECT_TRUE(owners.Within({4, 11}).empty());
  owners.Insert({{4, 11}, kB, GrantId{3}});
  EXPECT_EQ(owners.PieceCount(), 3U);
}

TEST(OwnerMap, CutsTheMiddleOutOfOnePiece) {
  OwnerMap owners;
  owners.Insert({{0, 10}, kA, GrantId{1}});
  EXPECT_EQ(owners.Remove({4, 6}).size(), 1U);
  const auto rest = owners.Within({0, 10});
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].range, (IndexRange{0, 4}));
  EXPECT_EQ(rest[1].range, (IndexRange{6, 10}));
}

TEST(OwnerMapDeathTest, ATaskHasOneOwner) {
  OwnerMap owners;
  owners.Insert({{0, 10}, kA, GrantId{1}});
  EXPECT_DEATH(owners.Insert({{9, 11}, kB, GrantId{2}}), "two owners");
}

class LeaseBookTest : public testing::Test {
 protected:
  model::UnitCosts costs{100};
  LeaseBook book{costs};
  LeaseBookTest() {
    book.AddWorker();
    book.AddWorker();
  }
};

TEST_F(LeaseBookTest, CompletingTellsWhoElseHoldsTheTask) {
  book.Lease(kA, {0, 4}, GrantId{1}, kNow);
  book.LeaseCopy(kB, {2, 4}, GrantId{2}, kNow);
  const auto others = book.Complete({3, 4}, kA);
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0].worker, kB);
  EXPECT_EQ(book.LeasedTasks(), 3);
  EXPECT_EQ(book.OutstandingTasks(kB), 1);
  EXPECT_FALSE(book.Copied().Contains(3));
}

TEST_F(LeaseBookTest, TheRunnerOfACopyInheritsTheLease) {
  book.Lease(kA, {0, 4}, GrantId{1}, kNow);
  book.LeaseCopy(kB, {2, 4}, GrantId{2}, kNow);
  EXPECT_EQ(book.ReleaseAll(kA), (List{{0, 2}}));
  EXPECT_EQ(book.Leased(kB).Ranges(), (List{{2, 4}}));
  EXPECT_TRUE(book.Copies(kB).Empty());
  EXPECT_TRUE(book.Copied().Empty());
  EXPECT_EQ(book.OutstandingCost(kB), 2);
  EXPECT_EQ(book.OutstandingCost(kA), 0);
}

TEST_F(LeaseBookTest, LosingTheRunnerOfACopyLeavesTheOwner) {
  book.Lease(kA, {0, 1}, GrantId{1}, kNow);
  book.LeaseCopy(kB, {0, 1}, GrantId{2}, kNow);
  EXPECT_TRUE(book.ReleaseAll(kB).empty());
  EXPECT_EQ(book.Leased(kA).Ranges(), (List{{0, 1}}));
}

TEST_F(LeaseBookTest, ReleasesOnlyUnderTheGrantThatIsNamed) {
  book.Lease(kA, {0, 4}, GrantId{1}, kNow);
  EXPECT_TRUE(book.Release(kA, {0, 4}, GrantId{9}).empty());
  EXPECT_TRUE(book.Release(kB, {0, 4}, GrantId{1}).empty());
  EXPECT_EQ(book.Release(kA, {3, 8}, GrantId{1}), (List{{3, 4}}));
}

TEST_F(LeaseBookTest, TheNewestLeaseIsWhatWasGrantedLastAndIsOpen) {
  EXPECT_TRUE(book.NewestLeased(kA).Empty());
  book.Lease(kA, {10, 14}, GrantId{1}, kNow);
  book.Lease(kA, {0, 2}, GrantId{2}, kNow);
  EXPECT_EQ(book.NewestLeased(kA), (IndexRange{0, 2}));
  (void)book.Complete({0, 2}, kA);
  (void)book.Complete({10, 11}, kA);
  EXPECT_EQ(book.NewestLeased(kA), (IndexRange{11, 14}));
}

TEST_F(LeaseBookTest, TheOldestLeaseIsTheFirstTaskThatWasGrantedAndIsOpen) {
  EXPECT_TRUE(book.OldestLeased(kA).Empty());
  book.Lease(kA, {50, 60}, GrantId{1}, kNow);
  book.Lease(kA, {10, 20}, GrantId{2}, kNow);
  EXPECT_EQ(book.OldestLeased(kA), (IndexRange{50, 51}));
  book.Complete({50, 52}, kA);
  EXPECT_EQ(book.OldestLeased(kA), (IndexRange{52, 53}));
  book.ForbidCopies({52, 60});
  EXPECT_EQ(book.OldestLeased(kA), (IndexRange{10, 11}));
}

TEST_F(LeaseBookTest, WhatIsNotToBeCopiedIsNobodysNewestLeaseWhileItIsLeased) {
  book.Lease(kA, {0, 2}, GrantId{1}, kNow);
  book.Lease(kB, {4, 5}, GrantId{2}, kNow);
  book.ForbidCopies({1, 5});
  EXPECT_EQ(book.NewestLeased(kA), (IndexRange{0, 1}));
  EXPECT_TRUE(book.NewestLeased(kB).Empty());
  EXPECT_EQ(book.ReleaseAll(kB), (List{{4, 5}}));
  book.Lease(kB, {4, 5}, GrantId{3}, kNow);
  EXPECT_EQ(book.NewestLeased(kB), (IndexRange{4, 5}));
}

TEST_F(LeaseBookTest, WorksSinceItsLastResultOrItsFirstGrant) {
  book.Lease(kA, {0, 2}, GrantId{1}, kNow);
  EXPECT_EQ(book.WorkingSince(kA), kNow);
  book.Lease(kA, {2, 3}, GrantId{2}, kNow + seconds(1));
  EXPECT_EQ(book.WorkingSince(kA), kNow);
  (void)book.Complete({0, 3}, kA);
  book.NoteWorked(kA, kNow + seconds(2));
  EXPECT_EQ(book.WorkingSince(kA), kNow + seconds(2));
  book.Lease(kA, {3, 4}, GrantId{3}, kNow + seconds(9));
  EXPECT_EQ(book.WorkingSince(kA), kNow + seconds(9));
}

using Fate = RetryBook::Fate;
using Action = model::ExitCodeRule::Action;

TEST(RetryBook, PausesDoubleUpToAMinute) {
  model::TaskPolicy policy;
  policy.backoff_limit_per_task = 20;
  RetryBook book(policy);
  EXPECT_EQ(book.NextDue(), kNever);
  const Duration pauses[] = {milliseconds(100),    milliseconds(200),    milliseconds(400),
                             milliseconds(800),    milliseconds(1'600),  milliseconds(3'200),
                             milliseconds(6'400),  milliseconds(12'800), milliseconds(25'600),
                             milliseconds(51'200), seconds(60),          seconds(60)};
  for (const Duration pause : pauses) {
    EXPECT_EQ(book.CountFailure(7, "a", {}), Fate::kTryAgain);
    book.TryLater(7, kNow);
    EXPECT_EQ(book.NextDue(), kNow + pause) << book.Failures(7);
    book.Update(kNow + pause - Duration{1});
    EXPECT_FALSE(book.TakeDue());
    book.Update(kNow + pause);
    EXPECT_EQ(book.TakeDue(), 7);
    EXPECT_TRUE(book.WaitingTasks().Empty());
  }
}

TEST(RetryBook, CountsAttemptsOfEachTask) {
  model::TaskPolicy policy;
  policy.backoff_limit_per_task = 1;
  RetryBook book(policy);
  EXPECT_EQ(book.CountFailure(3, "a", {}), Fate::kTryAgain);
  EXPECT_EQ(book.CountFailure(4, "a", {}), Fate::kTryAgain);
  EXPECT_EQ(book.CountFailure(3, "b", {}), Fate::kGivenUp);
  EXPECT_EQ(book.Failures(3), 2);
  EXPECT_EQ(book.Failures(5), 0);
  EXPECT_TRUE(book.FailedOn(3, "a") && book.FailedOn(3, "b"));
  EXPECT_TRUE(book.FailedLastOn(3, "b") && !book.FailedLastOn(3, "a"));
  EXPECT_EQ(book.ExampleGivenUp(), "");
  book.GiveUp(3, "b", "said\n\x1b[2J\xff");
  EXPECT_EQ(book.ExampleGivenUp(), "task 3 on b: said??[2J?");
  EXPECT_EQ(book.Open().Ranges(), (List{{4, 5}}));
}

TEST(RetryBook, TheFirstRuleThatFitsAnExitCodeCounts) {
  model::TaskPolicy policy;
  policy.backoff_limit_per_task = 0;
  policy.on_exit_codes = {{Action::kIgnore, true, {3, 75}},
                          {Action::kFailTask, true, {4, 3}},
                          {Action::kFailJob, false, {1, 3, 4}}};
  RetryBook book(policy);
  EXPECT_EQ(book.CountFailure(0, "a", 75), Fate::kTryAgain);
  EXPECT_EQ(book.CountFailure(0, "a", 3), Fate::kTryAgain) << "not charged";
  EXPECT_EQ(book.CountFailure(1, "a", 4), Fate::kGivenUp);
  EXPECT_EQ(book.CountFailure(2, "a", 5), Fate::kFailsJob);
  EXPECT_EQ(book.CountFailure(3, "a", 1), Fate::kGivenUp) << "no rule fits: charged";
  EXPECT_EQ(book.CountFailure(4, "a", {}), Fate::kGivenUp) << "rules are about exit codes alone";
}

TEST(RetryBook, WhatIsIgnoredIsNotIgnoredForEver) {
  model::TaskPolicy policy;
  policy.on_exit_codes = {{Action::kIgnore, true, {3}}};
  RetryBook book(policy);
  for (int n = 0; n < RetryBook::kMaxIgnored; ++n) {
    ASSERT_EQ(book.CountFailure(0, "a", 3), Fate::kTryAgain) << n;
  }
  EXPECT_EQ(book.CountFailure(0, "a", 3), Fate::kGivenUp);
}

TEST(RetryBook, ATaskThatWasCompletedMeanwhileIsNotDue) {
  RetryBook book(model::TaskPolicy{});
  for (const model::TaskIndex task : {7, 8}) {
    EXPECT_EQ(book.CountFailure(task, "a", {}), Fate::kTryAgain);
  }
  book.TryLater(7, kNow);
  book.Return(8);
  book.Forget({0, 100});
  book.Update(kNow + seconds(1));
  EXPECT_FALSE(book.TakeDue());
  EXPECT_TRUE(book.Open().Empty());
  EXPECT_EQ(book.Failures(7), 0);
}

}  // namespace
}  // namespace evenkeel::engine
