#include "core/engine/coordinator.h"

#include <type_traits>

#include "tests/unit/engine/coordinator_fixture.h"

namespace evenkeel::engine {
namespace {

using model::JobState;
using std::chrono::milliseconds;
using std::chrono::seconds;

class CoordinatorTest : public CoordinatorFixture {};

TEST_F(CoordinatorTest, AJobWithoutTasksIsCompleteAtOnce) {
  Start(0, 2);
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kComplete);
  EXPECT_EQ(coordinator().NextTimer(), kNever);
}

TEST_F(CoordinatorTest, AcknowledgesAndEndsOnlyWhenDurable) {
  Start(1, 1);
  Connect(1, 0);
  EXPECT_EQ(Sent<Welcome>(1).size(), 1U);
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}}));
  Done(1, {0, 1});
  EXPECT_TRUE(Sent<Acknowledge>(1).empty());
  EXPECT_TRUE(Wanted<EndJob>().empty());
  ASSERT_EQ(Wanted<Persist>().size(), 1U);
  AllDurable();
  ASSERT_EQ(Sent<Acknowledge>(1).size(), 1U);
  EXPECT_EQ(Sent<Acknowledge>(1)[0].ranges, (Ranges{{0, 1}}));
  EXPECT_EQ(Sent<Finish>(1).size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kComplete);
}

TEST_F(CoordinatorTest, AWorkerMayBeWrittenToOnlyAfterItsHello) {
  Start(1, 1);
  Deliver(1, Report{});
  ASSERT_EQ(Wanted<CloseStream>().size(), 1U);
  EXPECT_EQ(effects.size(), 1U);
}

TEST_F(CoordinatorTest, ADuplicateIsAcknowledgedAndNotCountedAgain) {
  Start(3, 1);
  Connect(1, 0);
  Done(1, {0, 1});
  AllDurable();
  Done(1, {0, 1});
  EXPECT_TRUE(Wanted<Persist>().empty());
  ASSERT_EQ(Sent<Acknowledge>(1).size(), 1U);
  EXPECT_EQ(coordinator().CurrentProgress(now).tasks_completed, 1);
  EXPECT_NEAR(coordinator().CurrentProgress(now).wasted_seconds, 0.001, 1e-9);
}

TEST_F(CoordinatorTest, AnOverlappingReportIsCutToWhatIsNew) {
  Start(9, 1);
  Connect(1, 0);
  Done(1, {2, 4});
  Done(1, {1, 6});
  const auto persist = Wanted<Persist>();
  ASSERT_EQ(persist.size(), 1U);
  ASSERT_EQ(persist[0].results.size(), 2U);
  EXPECT_EQ(persist[0].results[0].range, (model::IndexRange{1, 2}));
  EXPECT_EQ(persist[0].results[1].range, (model::IndexRange{4, 6}));
  EXPECT_EQ(persist[0].results[1].results.At(0), "4");
}

TEST_F(CoordinatorTest, AResultOfATaskThatWasNeverLeasedCountsOnce) {
  Start(3, 1);
  Connect(1, 0);  // holds task 0
  Done(1, {2, 3});
  Done(1, {0, 1});
  EXPECT_EQ(Assigned(1), (Ranges{{1, 2}}));
  Done(1, {1, 2});
  AllDurable();
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kComplete);
}

TEST_F(CoordinatorTest, AReportThatCannotBeChangesNothing) {
  Start(3, 2);
  Connect(1, 0);
  Connect(2, 1);
  Report report = DoneReport({0, 1});
  report.completed.push_back(DoneReport({2, 4}).completed[0]);  // there is no task 3
  Deliver(1, report);
  EXPECT_TRUE(Wanted<Persist>().empty());
  EXPECT_EQ(Wanted<CloseStream>().size(), 1U);
  Done(2, {1, 2});
  EXPECT_EQ(Assigned(2).size(), 1U) << "the liar's task is free again";
}

// Under a quota most runs fall between two pauses, and the few that meet one take the time.
TEST_F(CoordinatorTest, ARateIsThatOfAWholeReportAndNotOfItsManyShortParts) {
  Start(1000, 1);
  Connect(1, 0);
  Report report;
  for (model::TaskIndex at = 0; at < 100; at += 10) {
    auto part = DoneReport({at, at + 10}).completed.front();
    part.busy = at == 40 ? std::chrono::milliseconds(91) : std::chrono::milliseconds(1);
    report.completed.push_back(part);
  }
  Deliver(1, report);
  const auto node = coordinator().CurrentProgress(now).nodes.front();
  EXPECT_NEAR(node.rate, 1000, 1e-6);
  EXPECT_NEAR(node.mean_rate, 1000, 1e-6);
}

TEST_F(CoordinatorTest, ATaskGivenUpDoesNotHideItsNeighboursResults) {
  config.job.task_policy.backoff_limit_per_task = 0;
  config.job.task_policy.max_failed_tasks = 1;
  config.job.balancing.master_slave.chunk_tasks = 3;
  Start(3, 2);
  Connect(1, 0);
  Fails(1, 1);
  Done(1, {0, 3});  // with task 1, which has already failed for good
  ASSERT_EQ(Wanted<Persist>().size(), 1U);
  EXPECT_EQ(Wanted<Persist>()[0].results.size(), 2U);
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kComplete);
}

TEST_F(CoordinatorTest, TooManyFailuresEndTheJobAsSoonAsTheyAreDurable) {
  config.job.task_policy.backoff_limit_per_task = 0;
  Start(5, 2);
  Connect(1, 0);
  Connect(2, 1);
  Fails(1, 0);
  EXPECT_TRUE(Wanted<EndJob>().empty());
  Done(2, {1, 2});  // not durable yet: does not put off the end
  Note(coordinator().OnDurable(BatchId{1}, now));
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kFailed);
  EXPECT_EQ(Wanted<EndJob>()[0].reason,
            "1 task failed for good (0), maxFailedTasks is 0; task 0 on a: no");
  AllDurable();
  EXPECT_TRUE(effects.empty());
}

TEST_F(CoordinatorTest, AFailedTaskIsTriedAgainAfterAPauseElsewhere) {
  config.job.balancing.strategy = model::StrategyName::kDomainDecomposition;
  Start(2, 2);
  Connect(1, 0);
  Connect(2, 1);
  Fails(1, 0);
  EXPECT_EQ(Wanted<Persist>()[0].failures[0].attempt, 1);
  EXPECT_FALSE(Wanted<Persist>()[0].failures[0].final);
  Wait(milliseconds(99));
  EXPECT_TRUE(Assigned(2).empty());
  EXPECT_EQ(coordinator().NextTimer(), now + milliseconds(1));
  Wait(milliseconds(1));
  EXPECT_EQ(Assigned(2), (Ranges{{0, 1}}));
  EXPECT_TRUE(Assigned(1).empty());
}

// It failed in silence, came back, and was given the task again before its report arrived.
TEST_F(CoordinatorTest, AFailureFromBeforeASilenceLeavesTheNewLeaseAlone) {
  config.job.task_policy.idempotent = false;
  Start(1, 2);
  Connect(1, 0);
  const GrantId before = GrantOf(0);
  Note(coordinator().OnStreamClosed(StreamId{1}, now));
  Connect(2, 0);
  ASSERT_EQ(Assigned(2), (Ranges{{0, 1}}));
  Connect(3, 1);
  Fails(2, 0, before);
  EXPECT_TRUE(Wanted<Persist>().empty());
  Wait(seconds(1));
  EXPECT_TRUE(Assigned(3).empty());
  Fails(2, 0);
  EXPECT_EQ(Wanted<Persist>()[0].failures[0].attempt, 1);
}

TEST_F(CoordinatorTest, FailuresInTheJournalCount) {
  config.job.task_policy.backoff_limit_per_task = 1;
  config.job.task_policy.max_failed_tasks = 1;
  config.epoch = 2;
  config.failures = {{0, "a", "no", 1, false}, {1, "a", "no", 1, false}, {1, "a", "no", 2, true}};
  Start(2, 1);
  Connect(1, 0);
  EXPECT_TRUE(Assigned(1).empty()) << "its pause begins anew";
  Wait(milliseconds(100));
  EXPECT_EQ(Assigned(1), (Ranges{{0, 1}}));
  Fails(1, 0);
  EXPECT_TRUE(Wanted<Persist>()[0].failures[0].final);
  AllDurable();
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kFailed);
}

TEST_F(CoordinatorTest, ARecallThatBringsNothingCountsAsFailed) {
  config.job.balancing.strategy = model::StrategyName::kTailStealing;
  Start(1000, 2);  // enough that tasks are leased ahead of need
  Connect(1, 0);
  Connect(2, 1);
  // b works, a is silent: in the end all remaining tasks are leased to a.
  std::optional<RecallId> recall;
  Ranges left = Assigned(2);
  for (int step = 0; step < 10'000 && !recall; ++step) {
    now += milliseconds(1);
    if (left.empty()) {
      Note(coordinator().OnTimer(now));
    } else {
      const auto range = left.front();
      left.erase(left.begin());
      Done(2, range);
    }
    for (const auto& range : Assigned(2)) left.push_back(range);
    const auto asked = Sent<Recall>(1);
    if (!asked.empty()) recall = asked[0].id;
  }
  ASSERT_TRUE(recall.has_value());
  EXPECT_EQ(coordinator().CurrentProgress(now).recalls_failed, 0);
  Deliver(1, GiveBack{*recall, {}});
  EXPECT_EQ(coordinator().CurrentProgress(now).recalls_failed, 1);
  EXPECT_EQ(coordinator().CurrentProgress(now).moves.leased, 0);
}

TEST_F(CoordinatorTest, ShowsWhichRunsOfRangesCanBeCutAndHowLongTheyTake) {
  config.job.balancing.strategy = model::StrategyName::kTailStealing;
  config.ranges.emplace();
  Start(1000, 2);
  Connect(1, 0);
  const model::IndexRange first = Assigned(1).at(0);
  Connect(2, 1);
  ASSERT_GT(first.Size(), 10);
  auto progress = coordinator().CurrentProgress(now);
  ASSERT_TRUE(progress.nodes[0].ranges && progress.nodes[1].ranges);
  EXPECT_EQ(progress.nodes[0].ranges->running, 1);
  EXPECT_EQ(progress.nodes[0].ranges->cuttable, 0) << "it has not reported progress";
  EXPECT_EQ(progress.nodes[0].ranges->per_task_seconds, 0) << "nothing is measured";
  now += std::chrono::seconds(1);
  Report report;
  report.running.push_back({first.begin + 5, std::chrono::seconds(1)});
  Deliver(1, report);
  progress = coordinator().CurrentProgress(now);
  EXPECT_EQ(progress.nodes[0].ranges->cuttable, 1);
  EXPECT_EQ(progress.nodes[1].ranges->cuttable, 0);
  Done(1, first);
  progress = coordinator().CurrentProgress(now);
  EXPECT_NEAR(progress.nodes[0].ranges->per_task_seconds, 0.001, 1e-4);
  EXPECT_EQ(progress.nodes[0].ranges->running, 1) << "the next one";
  EXPECT_EQ(progress.nodes[0].ranges->cuttable, 0);
}

TEST_F(CoordinatorTest, AnInterruptedJobEndsWhenItsGraceIsOverThoughNobodyAnswers) {
  Start(4, 1);
  Connect(1, 0);
  Note(coordinator().OnInterrupt("stop", seconds(3), now));
  ASSERT_EQ(Sent<Recall>(1).size(), 1U);
  EXPECT_EQ(coordinator().NextTimer(), now + seconds(3));
  Wait(seconds(3));
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
  EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kInterrupted);
}

TEST_F(CoordinatorTest, TheGraceOfAnInterruptDoesNotWaitForTheWorkersOfTheStartBefore) {
  config.epoch = 2;
  config.job.task_policy.idempotent = false;
  config.job.balancing.lease = seconds(10);
  Start(4, 1);
  EXPECT_EQ(coordinator().NextTimer(), now + seconds(10)) << "they may still run tasks";
  Connect(1, 0);
  Done(1, {0, 1});
  Note(coordinator().OnInterrupt("stop", seconds(3), now));
  EXPECT_TRUE(Wanted<EndJob>().empty()) << "the result is not durable yet";
  EXPECT_EQ(coordinator().NextTimer(), now + seconds(3));
  Wait(seconds(3));
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
}

TEST_F(CoordinatorTest, WhatIsGivenBackAfterAnInterruptIsNoMove) {
  config.job.balancing.strategy = model::StrategyName::kDomainDecomposition;
  Start(4, 1);
  Connect(1, 0);
  ASSERT_EQ(Assigned(1), (Ranges{{0, 4}}));
  Note(coordinator().OnInterrupt("stop", seconds(3), now));
  const auto recalls = Sent<Recall>(1);
  ASSERT_EQ(recalls.size(), 1U);
  Deliver(1, GiveBack{recalls[0].id, {{GrantOf(3), {1, 4}, false, 0, {}}}});
  EXPECT_EQ(coordinator().CurrentProgress(now).nodes[0].leased, 1);
  EXPECT_EQ(coordinator().CurrentProgress(now).moves.leased, 0);
  for (const auto& event : coordinator().TakeEvents()) {
    EXPECT_NE(event.kind, model::TimelineEvent::Kind::kMove);
  }
}

TEST(Coordinator, IsNeitherCopiedNorMovedBecauseItsStrategyRefersToItsParts) {
  EXPECT_FALSE(std::is_copy_constructible_v<Coordinator>);
  EXPECT_FALSE(std::is_move_constructible_v<Coordinator>);
  EXPECT_FALSE(std::is_move_assignable_v<Coordinator>);
}

TEST_F(CoordinatorTest, AnInterruptedJobEndsWhenNothingIsUnderWay) {
  Start(4, 1);
  Connect(1, 0);
  Note(coordinator().OnInterrupt("stop", seconds(3), now));
  Done(1, {0, 1});
  EXPECT_TRUE(Assigned(1).empty());
  EXPECT_TRUE(Wanted<EndJob>().empty()) << "the result is not durable yet";
  AllDurable();
  ASSERT_EQ(Wanted<EndJob>().size(), 1U);
}

TEST_F(CoordinatorTest, WorkersFinishWithTheirCoordinatorUnlessTheyAreToWaitForTheNextStart) {
  for (const bool keep : {false, true}) {
    config.keep_workers = keep;
    config.nodes.clear();
    Start(2, 1);
    Connect(1, 0);
    Note(coordinator().OnJournalFailed("no space left", now));
    EXPECT_EQ(Wanted<EndJob>()[0].state, JobState::kFailed);
    EXPECT_EQ(Sent<Finish>(1).size(), keep ? 0U : 1U);
  }
}

TEST_F(CoordinatorTest, WorkersThatWaitForTheNextStartFinishWithTheJob) {
  config.keep_workers = true;
  Start(1, 1);
  Connect(1, 0);
  Done(1, {0, 1});
  AllDurable();
  EXPECT_EQ(Sent<Finish>(1).size(), 1U);
}

TEST_F(CoordinatorTest, NodesThatAllWeighNothingAreTakenForEqual) {
  config.job.balancing.strategy = model::StrategyName::kTailStealing;
  config.costs = std::make_shared<model::UnitCosts>(10);
  config.nodes = {{"x", 0.0}, {"y", 0.0}};
  Coordinator coordinator(config);
  (void)coordinator.Start(now);
  EXPECT_DOUBLE_EQ(coordinator.CurrentProgress(now).nodes[0].share, 0.5);
}

TEST_F(CoordinatorTest, TasksGoToTheNodeWhoseCacheHasTheirData) {
  config.job.balancing.strategy = model::StrategyName::kTailStealing;
  Start(100, 2);
  Note(coordinator().OnDataHeld("a", model::RangeSet({50, 200}), now));
  EXPECT_TRUE(effects.empty()) << "nobody is connected";
  Note(coordinator().OnDataHeld("unknown", model::RangeSet({0, 100}), now));
  Connect(1, 0);
  ASSERT_FALSE(Assigned(1).empty());
  for (const auto& range : Assigned(1)) EXPECT_GE(range.begin, 50);
  Connect(2, 1);
  ASSERT_FALSE(Assigned(2).empty());
  for (const auto& range : Assigned(2)) EXPECT_LE(range.end, 50);
  coordinator().CheckInvariants();
}

}  // namespace
}  // namespace evenkeel::engine
