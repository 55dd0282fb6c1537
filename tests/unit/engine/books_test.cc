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

TEST(RetryBook, PausesDoubleUpToAMinute) {
  RetryBook book(20);
  EXPECT_EQ(book.NextDue(), kNever);
  const std::pair<int, Duration> pauses[] = {{1, milliseconds(100)}, {2, milliseconds(200)},
                                             {4, milliseconds(800)}, {10, milliseconds(51'200)},
                                             {11, seconds(60)},      {2'000'000'000, seconds(60)}};
  for (const auto& [failures, pause] : pauses) {
    book.TryLater({7, kA}, failures, kNow);
    EXPECT_EQ(book.NextDue(), kNow + pause) << failures;
    EXPECT_TRUE(book.TakeDue(kNow + pause - Duration{1}).empty());
    EXPECT_EQ(book.TakeDue(kNow + pause).size(), 1U);
    EXPECT_TRUE(book.WaitingTasks().Empty());
  }
}

TEST(RetryBook, CountsAttemptsOfEachTask) {
  RetryBook book(1);
  EXPECT_EQ(book.CountFailure(3), 1);
  EXPECT_FALSE(book.Exhausted(1));
  EXPECT_EQ(book.CountFailure(4), 1);
  EXPECT_EQ(book.CountFailure(3), 2);
  EXPECT_TRUE(book.Exhausted(2));
}

TEST(RetryBook, ATaskThatWasCompletedMeanwhileIsNotDue) {
  RetryBook book(3);
  book.TryLater({7, kA}, 1, kNow);
  book.Forget({0, 100});
  EXPECT_TRUE(book.TakeDue(kNow + seconds(1)).empty());
}

}  // namespace
}  // namespace evenkeel::engine
