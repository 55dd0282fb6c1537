#include "core/engine/task_ledger.h"

#include <gtest/gtest.h>

#include "core/base/rng.h"

namespace evenkeel::engine {
namespace {

using model::IndexRange;
using scheduling::WorkerId;
using std::chrono::seconds;
using Ranges = std::vector<IndexRange>;
using FailedFrom = TaskLedger::FailedFrom;

constexpr WorkerId kOne{0};
constexpr WorkerId kTwo{1};
constexpr Instant kTime{seconds(5)};
constexpr GrantId kGrant1{1};
constexpr GrantId kGrant2{2};

class TaskLedgerTest : public testing::Test {
 protected:
  model::UnitCosts costs{100};
  TaskLedger ledger{costs};

  TaskLedgerTest() {
    ledger.AddWorker();
    ledger.AddWorker();
  }
  ~TaskLedgerTest() override { ledger.CheckInvariants(); }

  [[nodiscard]] Ranges Open(IndexRange range) const {
    Ranges parts;
    ledger.CollectOpen(range, parts);
    return parts;
  }
};

using TaskLedgerDeathTest = TaskLedgerTest;

TEST_F(TaskLedgerTest, StartsWithAllTasksUnassigned) {
  EXPECT_EQ(ledger.Count(TaskState::kUnassigned), 100);
  EXPECT_EQ(ledger.StateOf(99), TaskState::kUnassigned);
}

TEST_F(TaskLedgerTest, ATaskGoesFromLeaseToDurableResult) {
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  EXPECT_EQ(ledger.Leased(kOne).Ranges(), (Ranges{{0, 4}}));
  EXPECT_EQ(ledger.OutstandingCost(kOne), 4);
  EXPECT_TRUE(ledger.Complete({1, 3}, kOne).others.empty());
  EXPECT_EQ(ledger.Count(TaskState::kLeased), 2);
  EXPECT_EQ(ledger.Count(TaskState::kCompleted), 2);
  EXPECT_EQ(Open({0, 5}), (Ranges{{0, 1}, {3, 5}}));
  ledger.MarkDurable({1, 3});
  EXPECT_EQ(ledger.StateOf(2), TaskState::kDurable);
}

TEST_F(TaskLedgerTest, CompletingUnassignedTasksTellsTheStrategy) {
  ledger.Lease({0, 2}, kOne, kGrant1, kTime);
  EXPECT_FALSE(ledger.Complete({0, 1}, kOne).from_strategy);
  EXPECT_TRUE(ledger.Complete({1, 3}, kOne).from_strategy);
}

TEST_F(TaskLedgerTest, CompletingTellsWhichOtherWorkersHoldTheTask) {
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({2, 4}, kTwo, kGrant2, kTime);
  const auto by_owner = ledger.Complete({3, 4}, kOne).others;
  EXPECT_EQ(by_owner, (std::vector<TaskLedger::Holding>{{{3, 4}, kTwo, kGrant2}}));
  const auto by_copy = ledger.Complete({2, 3}, kTwo).others;
  EXPECT_EQ(by_copy, (std::vector<TaskLedger::Holding>{{{2, 3}, kOne, kGrant1}}));
  EXPECT_EQ(ledger.OutstandingTasks(kTwo), 0);
  EXPECT_TRUE(ledger.Copied().Empty());
}

TEST_F(TaskLedgerTest, TheWorkerThatRunsACopyInheritsTheLease) {
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({2, 4}, kTwo, kGrant2, kTime);
  EXPECT_EQ(ledger.ReleaseAll(kOne).unassigned, (Ranges{{0, 2}}));
  EXPECT_EQ(ledger.Leased(kTwo).Ranges(), (Ranges{{2, 4}}));
  EXPECT_TRUE(ledger.Copies(kTwo).Empty());
  EXPECT_EQ(ledger.OutstandingCost(kTwo), 2);
  EXPECT_EQ(ledger.OutstandingCost(kOne), 0);
}

TEST_F(TaskLedgerTest, LosingTheWorkerOfACopyLeavesTheLease) {
  ledger.Lease({0, 1}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({0, 1}, kTwo, kGrant2, kTime);
  EXPECT_TRUE(ledger.ReleaseAll(kTwo).unassigned.empty());
  EXPECT_EQ(ledger.Leased(kOne).Ranges(), (Ranges{{0, 1}}));
}

TEST_F(TaskLedgerTest, DropsTheCopiesOfOneWorkerOnly) {
  ledger.AddWorker();
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({0, 2}, kTwo, kGrant2, kTime);
  ledger.LeaseCopy({2, 4}, WorkerId{2}, GrantId{3}, kTime);
  ledger.DropCopies(kTwo, {1, 3});
  EXPECT_EQ(ledger.Copies(kTwo).Ranges(), (Ranges{{0, 1}}));
  EXPECT_EQ(ledger.Copies(WorkerId{2}).Ranges(), (Ranges{{2, 4}}));
}

TEST_F(TaskLedgerTest, SeveralWorkersMayCopyATask) {
  ledger.AddWorker();
  const WorkerId three{2};
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({0, 2}, kTwo, kGrant2, kTime);
  ledger.LeaseCopy({1, 4}, three, GrantId{3}, kTime);
  ledger.CheckInvariants();
  EXPECT_EQ(ledger.CopyHolders(0), (std::vector<WorkerId>{kTwo}));
  EXPECT_EQ(ledger.CopyHolders(1), (std::vector<WorkerId>{kTwo, three}));
  EXPECT_EQ(ledger.CopyHolders(4), (std::vector<WorkerId>{}));
  const auto others = ledger.Complete({1, 2}, three).others;
  EXPECT_EQ(others,
            (std::vector<TaskLedger::Holding>{{{1, 2}, kOne, kGrant1}, {{1, 2}, kTwo, kGrant2}}));
  ledger.CheckInvariants();
  EXPECT_EQ(ledger.Copied().Ranges(), (Ranges{{0, 1}, {2, 4}}));
}

TEST_F(TaskLedgerTest, TheOldestCopyInheritsTheLeaseAndTheOthersStayCopies) {
  ledger.AddWorker();
  const WorkerId three{2};
  ledger.Lease({0, 2}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({0, 2}, three, GrantId{3}, kTime);
  ledger.LeaseCopy({0, 1}, kTwo, kGrant2, kTime);
  EXPECT_TRUE(ledger.ReleaseAll(kOne).unassigned.empty());
  ledger.CheckInvariants();
  EXPECT_EQ(ledger.Leased(three).Ranges(), (Ranges{{0, 2}}));
  EXPECT_EQ(ledger.Copies(kTwo).Ranges(), (Ranges{{0, 1}}));
  EXPECT_EQ(ledger.ReleaseAll(three).unassigned, (Ranges{{1, 2}}));
  EXPECT_EQ(ledger.Leased(kTwo).Ranges(), (Ranges{{0, 1}}));
  ledger.CheckInvariants();
}

TEST_F(TaskLedgerTest, DropsOneOfSeveralCopies) {
  ledger.AddWorker();
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({0, 4}, kTwo, kGrant2, kTime);
  ledger.LeaseCopy({2, 4}, WorkerId{2}, GrantId{3}, kTime);
  ledger.DropCopies(kTwo, {1, 3});
  ledger.CheckInvariants();
  EXPECT_EQ(ledger.Copied().Ranges(), (Ranges{{0, 1}, {2, 4}}));
  EXPECT_EQ(ledger.CopyHolders(2), (std::vector<WorkerId>{{2}}));
  EXPECT_EQ(ledger.CopyHolders(3), (std::vector<WorkerId>{kTwo, {2}}));
}

TEST_F(TaskLedgerTest, ReleasesOnlyUnderTheNamedGrant) {
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  const GrantId other{9};
  EXPECT_TRUE(ledger.Release(kOne, {0, 4}, &other).unassigned.empty());
  EXPECT_TRUE(ledger.Release(kTwo, {0, 4}, &kGrant1).unassigned.empty());
  EXPECT_EQ(ledger.Release(kOne, {3, 8}, &kGrant1).unassigned, (Ranges{{3, 4}}));
}

TEST_F(TaskLedgerTest, AWithheldTaskIsWithheldAgainWhenItsLeaseEnds) {
  ledger.Withhold({4, 6});
  ledger.LeaseWithheld({4, 6}, kOne, kGrant1, kTime);
  EXPECT_TRUE(ledger.NotToBeCopied().Contains({4, 6}));
  const auto released = ledger.ReleaseAll(kOne);
  EXPECT_TRUE(released.unassigned.empty());
  EXPECT_EQ(released.withheld, (Ranges{{4, 6}}));
  EXPECT_EQ(ledger.StateOf(4), TaskState::kWithheld);
  EXPECT_TRUE(ledger.NotToBeCopied().Empty());
  ledger.GiveUp({4, 5});
  EXPECT_EQ(ledger.Failed().Ranges(), (Ranges{{4, 5}}));
  EXPECT_EQ(Open({3, 6}), (Ranges{{3, 4}, {5, 6}}));
}

TEST_F(TaskLedgerTest, ABanOnCopiesGoesWithTheLease) {
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({2, 4}, kTwo, kGrant2, kTime);
  ledger.ForbidCopies({3, 8});
  EXPECT_EQ(ledger.NotToBeCopied().Ranges(), (Ranges{{3, 4}})) << "others are not leased";
  (void)ledger.ReleaseAll(kOne);
  ledger.CheckInvariants();
  EXPECT_EQ(ledger.Leased(kTwo).Ranges(), (Ranges{{2, 4}}));
  EXPECT_EQ(ledger.NotToBeCopied().Ranges(), (Ranges{{3, 4}}));
  (void)ledger.ReleaseAll(kTwo);
  EXPECT_TRUE(ledger.NotToBeCopied().Empty());
}

TEST_F(TaskLedgerTest, AFailureCountsOnlyUnderTheGrantThatIsHeld) {
  ledger.Lease({0, 2}, kOne, kGrant1, kTime);
  EXPECT_EQ(ledger.FailRun(0, kOne, kGrant2), FailedFrom::kIgnored);
  EXPECT_TRUE(ledger.NotToBeCopied().Contains(0)) << "with copies a task could fail for ever";
  EXPECT_EQ(ledger.FailRun(0, kTwo, kGrant1), FailedFrom::kIgnored);
  EXPECT_EQ(ledger.FailRun(0, kOne, kGrant1), FailedFrom::kLease);
  EXPECT_EQ(ledger.FailRun(0, kOne, kGrant1), FailedFrom::kWithheld);
  EXPECT_EQ(ledger.FailRun(50, kOne, kGrant1), FailedFrom::kFree);
  EXPECT_EQ(ledger.StateOf(50), TaskState::kWithheld);
  (void)ledger.Complete({1, 2}, kOne);
  EXPECT_EQ(ledger.FailRun(1, kOne, kGrant1), FailedFrom::kIgnored);
}

TEST_F(TaskLedgerTest, AFailedRunBesideACopyLeavesTheCopy) {
  ledger.Lease({0, 1}, kOne, kGrant1, kTime);
  ledger.LeaseCopy({0, 1}, kTwo, kGrant2, kTime);
  EXPECT_EQ(ledger.FailRun(0, kOne, kGrant1), FailedFrom::kIgnored);
  EXPECT_EQ(ledger.Leased(kTwo).Ranges(), (Ranges{{0, 1}}));
  EXPECT_EQ(ledger.FailRun(0, kTwo, kGrant2), FailedFrom::kLease);
}

TEST_F(TaskLedgerTest, TheNewestLeaseIsTheOneThatWasGrantedLastAndIsOpen) {
  EXPECT_TRUE(ledger.NewestUncopied(kOne, {}).Empty());
  ledger.Lease({10, 14}, kOne, kGrant1, kTime);
  ledger.Lease({0, 2}, kOne, kGrant2, kTime);
  EXPECT_EQ(ledger.NewestUncopied(kOne, {}), (IndexRange{0, 2}));
  (void)ledger.Complete({0, 2}, kOne);
  (void)ledger.Complete({10, 11}, kOne);
  EXPECT_EQ(ledger.NewestUncopied(kOne, {}), (IndexRange{11, 14}));
}

TEST_F(TaskLedgerTest, WhatHasACopyIsLeftOutOfTheNewestLease) {
  ledger.Lease({10, 14}, kOne, kGrant1, kTime);
  ledger.Lease({0, 1}, kOne, kGrant2, kTime);
  ledger.LeaseCopy({0, 1}, kTwo, GrantId{3}, kTime);
  EXPECT_EQ(ledger.NewestUncopied(kOne, {}), (IndexRange{10, 14}));
  EXPECT_EQ(ledger.NewestUncopied(kOne, model::RangeSet(IndexRange{12, 14})), (IndexRange{10, 12}));
  EXPECT_TRUE(ledger.NewestUncopied(kOne, model::RangeSet(IndexRange{9, 15})).Empty());
}

TEST_F(TaskLedgerTest, TheOldestLeaseIsTheFirstTaskThatWasGrantedAndIsOpen) {
  EXPECT_TRUE(ledger.OldestLeased(kOne).Empty());
  ledger.Lease({50, 60}, kOne, kGrant1, kTime);
  ledger.Lease({10, 20}, kOne, kGrant2, kTime);
  EXPECT_EQ(ledger.OldestLeased(kOne), (IndexRange{50, 51}));
  (void)ledger.Complete({50, 52}, kOne);
  EXPECT_EQ(ledger.OldestLeased(kOne), (IndexRange{52, 53}));
  for (model::TaskIndex task = 52; task < 60; ++task) {
    (void)ledger.FailRun(task, kOne, GrantId{9});  // ignored, but not to be copied
  }
  EXPECT_EQ(ledger.OldestLeased(kOne), (IndexRange{10, 11}));
}

TEST_F(TaskLedgerTest, TheOldestLeaseIsFoundBehindManyThatHaveEnded) {
  for (model::TaskIndex task = 0; task < 20; ++task) {
    ledger.Lease({40 - task, 41 - task}, kOne, GrantId{static_cast<std::uint64_t>(task + 1)},
                 kTime);
  }
  for (model::TaskIndex task = 0; task < 20; ++task) {
    EXPECT_EQ(ledger.OldestLeased(kOne), (IndexRange{40 - task, 41 - task}));
    (void)ledger.Complete({40 - task, 41 - task}, kOne);
  }
  EXPECT_TRUE(ledger.OldestLeased(kOne).Empty());
}

TEST_F(TaskLedgerTest, AWorkerWorksSinceItsLastResultOrItsFirstLease) {
  ledger.Lease({0, 2}, kOne, kGrant1, kTime);
  EXPECT_EQ(ledger.WorkingSince(kOne), kTime);
  ledger.Lease({2, 3}, kOne, kGrant2, kTime + seconds(1));
  EXPECT_EQ(ledger.WorkingSince(kOne), kTime);
  (void)ledger.Complete({0, 3}, kOne);
  ledger.NoteWorked(kOne, kTime + seconds(2));
  EXPECT_EQ(ledger.WorkingSince(kOne), kTime + seconds(2));
  ledger.Lease({3, 4}, kOne, GrantId{3}, kTime + seconds(9));
  EXPECT_EQ(ledger.WorkingSince(kOne), kTime + seconds(9));
  ledger.NoteWorked(kOne, kTime + seconds(3));
  EXPECT_EQ(ledger.WorkingSince(kOne), kTime + seconds(9)) << "the report of an earlier task";
}

// A task that waited for a thread was taken to run since it was leased: workers on time looked
// late.
TEST_F(TaskLedgerTest, ATaskThatWaitedRunsSinceThatBeforeItEnded) {
  ledger.Lease({0, 2}, kOne, kGrant1, kTime);
  EXPECT_TRUE(ledger.Running(kOne, 1).empty()) << "it is not known which one it runs";
  ledger.Complete({0, 1}, kOne);
  ledger.NoteWorked(kOne, kTime + seconds(10));
  const auto waited = ledger.Running(kOne, 1);
  ASSERT_EQ(waited.size(), 1u);
  EXPECT_EQ(waited[0].since, kTime + seconds(10));
  EXPECT_TRUE(waited[0].start_known);
  EXPECT_EQ(ledger.StartOf(kOne, 1, 1), kTime + seconds(10));
  ledger.Complete({1, 2}, kOne);
  EXPECT_EQ(ledger.StartOf(kOne, 1, 1), kTime + seconds(10)) << "another worker completed it";

  ledger.Lease({5, 6}, kOne, kGrant2, kTime + seconds(12));
  const auto came_later = ledger.Running(kOne, 1);
  ASSERT_EQ(came_later.size(), 1u);
  EXPECT_EQ(came_later[0].since, kTime + seconds(12));
  EXPECT_FALSE(came_later[0].start_known);
}

TEST_F(TaskLedgerTest, OnTwoThreadsTasksStartInTheirOrderWhenOthersEnd) {
  ledger.Lease({0, 4}, kOne, kGrant1, kTime);
  ledger.Complete({0, 1}, kOne);
  ledger.NoteWorked(kOne, kTime + seconds(4));
  ledger.Complete({1, 2}, kOne);
  ledger.NoteWorked(kOne, kTime + seconds(3));
  const auto both = ledger.Running(kOne, 2);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].since, kTime + seconds(3));
  EXPECT_EQ(both[1].since, kTime + seconds(4));
  ledger.Complete({2, 3}, kOne);
  ledger.NoteWorked(kOne, kTime + seconds(6));
  const auto last = ledger.Running(kOne, 2);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].since, kTime + seconds(4)) << "one thread is idle since 6 s";
}

TEST_F(TaskLedgerTest, AReportThatNamesATaskTwiceIsNoFault) {
  ledger.Lease({0, 3}, kOne, kGrant1, kTime);
  ledger.Complete({0, 1}, kOne);
  ledger.NoteWorked(kOne, kTime + seconds(1));
  ledger.NoteRunning(kOne, {{1, kTime}, {1, kTime}, {1, kTime}});
  for (const auto& task : ledger.Running(kOne, 2)) {
    EXPECT_EQ(task.since, task.index == 1 ? kTime : kTime + seconds(1));
  }
}

TEST_F(TaskLedgerTest, WithMoreThreadsThanEndsAreKeptATaskIsTakenToStartLater) {
  constexpr std::int64_t kThreads = 32;
  ledger.Lease({0, 2 * kThreads}, kOne, kGrant1, kTime);
  for (std::int64_t i = 0; i < kThreads; ++i) {
    ledger.Complete({i, i + 1}, kOne);
    ledger.NoteWorked(kOne, kTime + seconds(i + 1));
  }
  const auto running = ledger.Running(kOne, kThreads);
  ASSERT_EQ(running.size(), static_cast<std::size_t>(kThreads));
  EXPECT_EQ(running.back().since, kTime + seconds(kThreads));
  for (std::size_t i = 1; i < running.size(); ++i) {
    EXPECT_LE(running[i - 1].since, running[i].since);
    EXPECT_GT(running[i - 1].since, kTime + seconds(static_cast<int>(i - 1)));
  }
}

TEST_F(TaskLedgerDeathTest, StopsTheProcessAtIllegalTransitions) {
  ledger.Lease({0, 10}, kOne, kGrant1, kTime);
  EXPECT_DEATH(ledger.Lease({9, 11}, kTwo, kGrant2, kTime), "in use or reserved");
  EXPECT_DEATH(ledger.LeaseWithheld({20, 21}, kTwo, kGrant2, kTime), "not withheld");
  EXPECT_DEATH(ledger.LeaseCopy({0, 1}, kOne, kGrant2, kTime), "has the lease");
  EXPECT_DEATH(ledger.LeaseCopy({10, 11}, kTwo, kGrant2, kTime), "not leased");
  EXPECT_DEATH(ledger.Withhold({0, 1}), "only free tasks");
  EXPECT_DEATH(ledger.GiveUp({0, 1}), "only withheld");
  EXPECT_DEATH(ledger.MarkDurable({0, 1}), "without a result");
  EXPECT_DEATH(ledger.RestoreDurable({0, 1}), "in use");
  EXPECT_DEATH(ledger.Lease({99, 101}, kOne, kGrant2, kTime), "does not exist");
  (void)ledger.Complete({0, 1}, kOne);
  EXPECT_DEATH((void)ledger.Complete({0, 1}, kTwo), "second result");
  ledger.LeaseCopy({4, 6}, kTwo, kGrant2, kTime);
  EXPECT_DEATH(ledger.LeaseCopy({5, 6}, kTwo, GrantId{3}, kTime), "second copy at one worker");
}

TEST(TaskLedger, AppendedTasksAreUnassigned) {
  model::GrowingCosts costs(std::make_shared<model::UnitCosts>(3));
  TaskLedger ledger(costs);
  ledger.RestoreDurable({0, 3});
  costs.GrowTo(std::make_shared<model::UnitCosts>(5));
  ledger.Append();
  EXPECT_EQ(ledger.TaskCount(), 5);
  EXPECT_EQ(ledger.Count(TaskState::kUnassigned), 2);
  ledger.CheckInvariants();
}

TEST_F(TaskLedgerTest, KnowsWhatIsReservedForEachWorker) {
  ledger.Reserve({0, 10}, kOne);
  ledger.Reserve({4, 6}, kTwo);
  EXPECT_EQ(ledger.StateOf(5), TaskState::kReserved);
  EXPECT_EQ(ledger.ReservedTasks(kOne), 8);
  EXPECT_EQ(ledger.ReservedTasks(kTwo), 2);
  EXPECT_EQ(ledger.ReservedCost(kTwo), 2);
  ledger.Lease({0, 2}, kOne, kGrant1, kTime);
  EXPECT_EQ(ledger.ReservedTasks(kOne), 6);
  ledger.Withhold({2, 3});
  EXPECT_TRUE(ledger.Complete({3, 5}, kTwo).from_strategy) << "late results of reserved tasks";
  EXPECT_EQ(ledger.FailRun(5, kTwo, kGrant2), FailedFrom::kFree);
  EXPECT_EQ(ledger.ReservedTasks(kOne), 4);
  EXPECT_EQ(ledger.ReservedTasks(kTwo), 0);
  ledger.Unreserve({6, 10});
  EXPECT_EQ(ledger.StateOf(6), TaskState::kUnassigned);
  EXPECT_EQ(ledger.Count(TaskState::kReserved), 0);
  EXPECT_EQ(ledger.Release(kOne, {0, 2}, nullptr).unassigned, (Ranges{{0, 2}}));
}

TEST_F(TaskLedgerTest, ThePlanIsTheFirstReservation) {
  EXPECT_EQ(ledger.PlanOf(7).worker, std::nullopt);
  EXPECT_EQ(ledger.PlanOf(7).until, 100);
  ledger.Reserve({10, 20}, kOne);
  ledger.Reserve({20, 30}, kOne);
  ledger.Reserve({30, 50}, kTwo);
  EXPECT_EQ(ledger.PlanOf(7).until, 10);
  EXPECT_EQ(ledger.PlanOf(10).worker, kOne);
  EXPECT_EQ(ledger.PlanOf(10).until, 30) << "one plan";
  ledger.Reserve({10, 15}, kTwo);
  EXPECT_EQ(ledger.PlanOf(10).worker, kOne) << "a move does not change the plan";
  EXPECT_EQ(ledger.PlanOf(29).until, 30);
  EXPECT_EQ(ledger.PlanOf(50).worker, std::nullopt);
  EXPECT_EQ(ledger.PlannedCost(kOne), 20);
  EXPECT_EQ(ledger.PlannedCost(kTwo), 20);
}

TEST_F(TaskLedgerDeathTest, RefusesIllegalReservations) {
  ledger.Reserve({0, 4}, kOne);
  ledger.Lease({4, 6}, kOne, kGrant1, kTime);
  EXPECT_DEATH(ledger.Lease({3, 4}, kTwo, kGrant2, kTime), "reserved for another worker");
  EXPECT_DEATH(ledger.Reserve({3, 5}, kTwo), "a task that is in use");
  EXPECT_DEATH(ledger.Unreserve({3, 5}), "a reservation that does not exist");
  EXPECT_DEATH(ledger.Reserve({99, 101}, kTwo), "does not exist");
}

// Draws transitions and compares each task's state with a plain array.
TEST(TaskLedger, KeepsEveryTaskInOneStateWhateverIsDrawn) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    model::UnitCosts costs{60};
    TaskLedger ledger(costs);
    constexpr std::uint32_t kWorkers = 4;
    for (std::uint32_t i = 0; i < kWorkers; ++i) ledger.AddWorker();
    std::vector<TaskState> expected(60, TaskState::kUnassigned);
    std::uint64_t grant = 0;
    for (int step = 0; step < 400; ++step) {
      const auto task = static_cast<model::TaskIndex>(rng.Below(60));
      const IndexRange one{task, task + 1};
      const WorkerId worker{static_cast<std::uint32_t>(rng.Below(kWorkers))};
      TaskState& state = expected[static_cast<std::size_t>(task)];
      switch (rng.Below(8)) {
        case 6:
          if (IsFree(state)) {
            ledger.Reserve(one, worker);
            state = TaskState::kReserved;
          }
          break;
        case 7:
          if (state == TaskState::kReserved) {
            ledger.Unreserve(one);
            state = TaskState::kUnassigned;
          }
          break;
        case 0:
          if (IsFree(state)) {
            if (state == TaskState::kReserved) ledger.Reserve(one, worker);
            ledger.Lease(one, worker, GrantId{++grant}, kTime);
            state = TaskState::kLeased;
          } else if (state == TaskState::kWithheld) {
            ledger.LeaseWithheld(one, worker, GrantId{++grant}, kTime);
            state = TaskState::kLeased;
          }
          break;
        case 1:
          if (state == TaskState::kLeased && !ledger.Leased(worker).Contains(task) &&
              !ledger.Copies(worker).Contains(task)) {
            ledger.LeaseCopy(one, worker, GrantId{++grant}, kTime);
          }
          break;
        case 2:
          if (state <= TaskState::kWithheld) {
            (void)ledger.Complete(one, worker);
            state = TaskState::kCompleted;
          } else if (state == TaskState::kCompleted) {
            ledger.MarkDurable(one);
            state = TaskState::kDurable;
          }
          break;
        case 3: {
          const auto released = ledger.ReleaseAll(worker);
          for (const IndexRange range : released.unassigned) {
            for (auto i = range.begin; i < range.end; ++i) {
              expected[static_cast<std::size_t>(i)] = TaskState::kUnassigned;
            }
          }
          for (const IndexRange range : released.withheld) {
            for (auto i = range.begin; i < range.end; ++i) {
              expected[static_cast<std::size_t>(i)] = TaskState::kWithheld;
            }
          }
          break;
        }
        case 4: {
          const auto from = ledger.FailRun(task, worker, GrantId{rng.Below(grant + 1)});
          if (from == FailedFrom::kLease || from == FailedFrom::kFree) {
            state = TaskState::kWithheld;
          }
          break;
        }
        default:
          if (state == TaskState::kWithheld) {
            ledger.GiveUp(one);
            state = TaskState::kFailed;
          }
      }
      ledger.CheckInvariants();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(ledger.StateOf(static_cast<model::TaskIndex>(i)), expected[i]) << i;
      }
    }
  }
}

}  // namespace
}  // namespace evenkeel::engine
