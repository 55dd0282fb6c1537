#include "core/engine/result_intake.h"

#include <limits>

#include "tests/unit/engine/engine_parts.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Ranges = std::vector<model::IndexRange>;

// ---- CommitQueue ----

class CommitQueueTest : public EngineParts {
 protected:
  /// A commit of a result of worker 0, which is connected.
  Commit CommitOf(model::IndexRange range) {
    Commit commit;
    commit.worker = {0};
    commit.stream = StreamOf(0);
    commit.reported = commit.completed = {range};
    commit.batch.completed = commit.batch.wanted = range.Size();
    commit.results.emplace_back();
    driver.TakeAway(range);
    (void)ledger.Complete(range, {0});
    return commit;
  }
};

TEST_F(CommitQueueTest, AcknowledgesWhatIsDurableAndNothingBefore) {
  Connect(0);
  commits.Add(CommitOf({0, 2}));
  commits.Add(CommitOf({2, 5}));
  const Effects asked = outbox.Take(now);
  ASSERT_EQ(Of<Persist>(asked).size(), 2U);
  EXPECT_EQ(Of<Persist>(asked)[0].results.size(), 1U);
  EXPECT_EQ(asked.size(), 2U) << "nothing is acknowledged";
  commits.OnDurable(Of<Persist>(asked)[0].batch, now);
  EXPECT_EQ(completion.DurableTasks(), 2);
  EXPECT_EQ(ledger.StateOf(1), TaskState::kDurable);
  EXPECT_EQ(ledger.StateOf(2), TaskState::kCompleted);
  EXPECT_FALSE(commits.Empty());
  const auto acknowledged = Sent<Acknowledge>(outbox.Take(now), StreamOf(0));
  ASSERT_EQ(acknowledged.size(), 1U);
  EXPECT_EQ(acknowledged[0].ranges, (Ranges{{0, 2}}));
  commits.OnDurable(Of<Persist>(asked)[1].batch, now);
  EXPECT_EQ(completion.DurableTasks(), 5);
  EXPECT_TRUE(commits.Empty());
}

TEST_F(CommitQueueTest, ALaterBatchMakesTheEarlierOnesDurable) {
  Connect(0);
  commits.Add(CommitOf({0, 2}));
  commits.Add(CommitOf({2, 5}));
  commits.OnDurable(Of<Persist>(outbox.Take(now))[1].batch, now);
  EXPECT_TRUE(commits.Empty());
  EXPECT_EQ(completion.DurableTasks(), 5);
}

TEST_F(CommitQueueTest, AWorkerThatReconnectedIsNotAcknowledgedOnItsNewStream) {
  Connect(0);
  commits.Add(CommitOf({0, 2}));
  ASSERT_TRUE(lifecycle.Admit(StreamId{50}, HelloOf(0), now));
  (void)outbox.Take(now);
  commits.OnDurable(BatchId{1}, now);
  EXPECT_TRUE(outbox.Take(now).empty()) << "it reports again, and that is acknowledged";
  EXPECT_EQ(completion.DurableTasks(), 2);
}

TEST_F(CommitQueueTest, TheRunsLastResultIsDatedByTheDiskUnlessNothingIsNew) {
  Connect(0);
  commits.Add(CommitOf({0, 1}));
  commits.OnDurable(BatchId{1}, now + seconds(3));
  EXPECT_EQ(statistics.Snapshot(now).last_durable, seconds(3));
  Commit old;  // a failure that is tried again settles nothing
  old.failures.emplace_back();
  old.ended = seconds(2);
  commits.Add(std::move(old));
  commits.OnDurable(BatchId{2}, now + seconds(9));
  EXPECT_EQ(statistics.Snapshot(now).last_durable, seconds(3));
}

// ---- ResultIntake ----

class ResultIntakeTest : public EngineParts {
 protected:
  /// Applies the report of node 0 and returns the effects.
  Effects Apply(Report report, std::uint32_t node = 0) {
    intake.Apply({node}, std::move(report), now);
    return outbox.Take(now);
  }
  static Report FailedReport(model::TaskIndex task, GrantId grant) {
    Report report;
    report.failed.push_back({task, "no", milliseconds(1), grant});
    return report;
  }
};

TEST_F(ResultIntakeTest, EachTaskCountsOnce) {
  Connect(0);
  Lease({0, 4}, 0);
  (void)Apply(DoneReport({0, 2}));
  const auto persist = Of<Persist>(Apply(DoneReport({1, 4})));
  ASSERT_EQ(persist.size(), 1U);
  ASSERT_EQ(persist[0].results.size(), 1U);
  EXPECT_EQ(persist[0].results[0].range, (model::IndexRange{2, 4}));
  EXPECT_EQ(persist[0].results[0].results.At(0), "2");
  EXPECT_EQ(statistics.CompletedCost(), 4);
  EXPECT_NEAR(statistics.Snapshot(now).wasted_seconds, 0.001, 1e-9) << "task 1 ran twice";
}

TEST_F(ResultIntakeTest, AWorkerWaitedForDataNoLongerThanItWasBusy) {
  Connect(0);
  Lease({0, 2}, 0);
  Report report = DoneReport({0, 1});
  report.completed[0].busy = seconds(2);
  report.completed[0].waited = seconds(5);
  (void)Apply(std::move(report));
  EXPECT_EQ(estimator.CalculatingSeconds({0}), 0);
  report = DoneReport({1, 2});
  report.completed[0].busy = seconds(2);
  report.completed[0].waited = -seconds(5);
  (void)Apply(std::move(report));
  EXPECT_EQ(estimator.CalculatingSeconds({0}), 2);
  EXPECT_EQ(statistics.Node({0}).data_wait_seconds, 2);
}

TEST_F(ResultIntakeTest, DataThatCameToAWorkerAreSummedUp) {
  Connect(0);
  Lease({0, 3}, 0);
  now += seconds(10);
  for (const model::DataTransfer transfer :
       {model::DataTransfer{100, seconds(2)}, {50, seconds(1)}}) {
    Report report = DoneReport({0, 1});
    report.completed[0].transfer = transfer;
    (void)Apply(std::move(report));
  }
  EXPECT_EQ(statistics.Node({0}).transfer, (model::DataTransfer{150, seconds(3)}));
  Report absurd = DoneReport({1, 2});
  absurd.completed[0].transfer = {std::numeric_limits<std::int64_t>::max(), seconds(1000)};
  (void)Apply(std::move(absurd));
  EXPECT_EQ(statistics.Node({0}).transfer.bytes, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(statistics.Node({0}).transfer.time, seconds(13)) << "no longer than the job";
}

TEST_F(ResultIntakeTest, AResultThatIsOldIsAcknowledgedAtOnce) {
  Connect(0);
  Lease({0, 2}, 0);
  (void)Apply(DoneReport({0, 2}));
  const Effects effects = Apply(DoneReport({0, 2}));
  EXPECT_TRUE(Of<Persist>(effects).empty());
  EXPECT_EQ(Sent<Acknowledge>(effects, StreamOf(0)).size(), 1U);
}

// A worker returns it after a Recall: a withheld task would be leased to the same worker again.
TEST_F(ResultIntakeTest, ATaskThatLostItsContainerOnceIsLeftToTheStrategy) {
  Connect(0);
  Report report = FailedReport(0, Lease({0, 2}, 0));
  report.failed[0].cause = model::FailureCause::kRunnerLost;
  (void)Apply(report);
  EXPECT_TRUE(IsFree(ledger.StateOf(0)));
  EXPECT_EQ(retries.TakeDue(), std::nullopt);
}

// Its lease runs at the worker as well, and a commit may take longer than that.
TEST_F(ResultIntakeTest, AWorkerWithALeaseClockIsHeardBeforeItsResultIsDurable) {
  ResultIntake not_idempotent{
      {costs, holders, membership, estimator, ledger, retries, isolation, lost_runners, completion,
       statistics, driver, placement, verification, commits, outbox, deliveries},
      false};
  Connect(0);
  Lease({0, 2}, 0);
  (void)outbox.Take(now);
  membership.At({0}).reports_received = 4;
  not_idempotent.Apply({0}, DoneReport({0, 2}), now);
  const auto heard = Sent<Acknowledge>(outbox.Take(now), StreamOf(0));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_TRUE(heard[0].ranges.empty());
  EXPECT_EQ(heard[0].heard, 4U);
  not_idempotent.Apply({0}, Report{}, now);
  EXPECT_EQ(Sent<Acknowledge>(outbox.Take(now), StreamOf(0)).size(), 1U) << "a heartbeat";
  intake.Apply({0}, Report{}, now);
  EXPECT_TRUE(outbox.Take(now).empty()) << "no lease clock at the worker";
}

TEST_F(ResultIntakeTest, AnotherWorkerWithTheTaskIsToldToStop) {
  Connect(0);
  Connect(1);
  Lease({0, 2}, 1);
  const auto cancels = Sent<Cancel>(Apply(DoneReport({0, 2})), StreamOf(1));
  ASSERT_EQ(cancels.size(), 1U);
  EXPECT_EQ(cancels[0].ranges, (Ranges{{0, 2}}));
}

TEST_F(ResultIntakeTest, RefusesRangesThatDoNotExistAndResultsThatDoNotMatch) {
  EXPECT_TRUE(intake.IsValid(DoneReport({kTasks - 1, kTasks})));
  EXPECT_FALSE(intake.IsValid(DoneReport({kTasks - 1, kTasks + 1})));
  EXPECT_FALSE(intake.IsValid(DoneReport({3, 3})));
  Report missing = DoneReport({0, 2});
  missing.completed[0].range.end = 3;
  EXPECT_FALSE(intake.IsValid(missing));
  EXPECT_TRUE(intake.IsValid(FailedReport(kTasks - 1, {})));
  EXPECT_FALSE(intake.IsValid(FailedReport(kTasks, {})));
  EXPECT_FALSE(intake.IsValid(FailedReport(-1, {})));
}

TEST_F(ResultIntakeTest, OnlyTheRunUnderTheLeaseCanFailATask) {
  Connect(0);
  Connect(1);
  const GrantId grant = Lease({0, 1}, 1);
  EXPECT_TRUE(Of<Persist>(Apply(FailedReport(0, grant), 0)).empty()) << "not its lease";
  EXPECT_EQ(ledger.StateOf(0), TaskState::kLeased);
  const auto persist = Of<Persist>(Apply(FailedReport(0, grant), 1));
  ASSERT_EQ(persist.size(), 1U);
  EXPECT_FALSE(persist[0].failures[0].final);
  EXPECT_EQ(ledger.StateOf(0), TaskState::kWithheld);
  EXPECT_EQ(retries.NextDue(), now + milliseconds(100));
  EXPECT_TRUE(Of<Persist>(Apply(FailedReport(0, grant), 1)).empty()) << "told twice";
}

TEST_F(ResultIntakeTest, ADeathIsChargedAsAFailureWithoutAnAcknowledgement) {
  Connect(0);
  driver.TakeAway({7, 8});
  ledger.Withhold({7, 8});
  intake.ChargeDeath({0}, 7, Death::kProcess, now);
  const Effects effects = outbox.Take(now);
  ASSERT_EQ(Of<Persist>(effects).size(), 1U);
  EXPECT_EQ(Of<Persist>(effects)[0].failures[0].index, 7);
  EXPECT_EQ(retries.Failures(7), 1);
  commits.OnDurable(BatchId{1}, now);
  EXPECT_TRUE(outbox.Take(now).empty());
}

TEST_F(ResultIntakeTest, TimesOfAWorkersClockAreCutToTheRun) {
  Connect(0);
  Lease({0, 1}, 0);
  now += seconds(5);
  Report report = DoneReport({0, 1});
  report.completed[0].started_ago = seconds(3600);
  report.completed[0].ended_ago = -seconds(7);
  report.completed[0].busy = -seconds(1);
  const auto record = Of<Persist>(Apply(report))[0].results[0];
  EXPECT_EQ(record.started, Duration::zero());
  EXPECT_EQ(record.ended, Duration(seconds(5)));
  EXPECT_EQ(record.busy, Duration::zero());
}

TEST_F(ResultIntakeTest, WhatTheJournalHasIsNotRunAgain) {
  TaskLedger& restored = ledger;
  driver.TakeAway({0, 4});
  intake.RestoreCompleted(model::RangeSet(model::IndexRange{0, 2}));
  intake.RestoreFailures({{2, "a", "no", 1, true, {}, {}},
                          {3, "a", "no", 1, false, {}, {}},
                          {1, "a", "no", 1, true, {}, {}}},
                         now);
  EXPECT_EQ(restored.StateOf(1), TaskState::kDurable) << "its failure came before its result";
  EXPECT_EQ(restored.StateOf(2), TaskState::kFailed);
  EXPECT_EQ(restored.StateOf(3), TaskState::kWithheld);
  EXPECT_EQ(completion.DurableTasks(), 2);
  EXPECT_EQ(statistics.CompletedCost(), 2);
  EXPECT_EQ(retries.NextDue(), now + milliseconds(100)) << "task 3 is tried again";
}

}  // namespace
}  // namespace evenkeel::engine
