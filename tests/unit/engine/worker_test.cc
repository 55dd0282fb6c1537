#include <string>
#include <utility>

#include "tests/unit/engine/worker_fixture.h"

namespace evenkeel::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using WorkerTest = WorkerFixture;

TEST_F(WorkerTest, SendsTheRatioOfItsNode) { EXPECT_EQ(worker.OnConnected(now).ratio, 2.5); }

TEST_F(WorkerTest, SendsTheLatestStampBackOnceWithTheTimeItWasHeld) {
  Open();
  (void)Receive(Acknowledge{{}, 0, ClockStamp{7}});
  now += milliseconds(300);
  (void)Receive(Acknowledge{{}, 0, ClockStamp{9}});
  now += seconds(1);
  const auto reports = Sent<Report>(worker.OnTimer(now));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].echo, (StampEcho{ClockStamp{9}, seconds(1)}));
  now += seconds(1);
  const auto next = Sent<Report>(worker.OnTimer(now));
  ASSERT_EQ(next.size(), 1U);
  EXPECT_EQ(next[0].echo, StampEcho{}) << "nothing was stamped since";
}

TEST_F(WorkerTest, AnswersAWelcomeWithItsStampAtOnce) {
  Welcome stamped;
  stamped.stamp = ClockStamp{5};
  (void)worker.OnConnected(now);
  const auto reports = Sent<Report>(Receive(stamped));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].echo, (StampEcho{ClockStamp{5}, Duration::zero()}));
  EXPECT_TRUE(Sent<Report>(Receive(Welcome{})).empty()) << "of a coordinator of an earlier version";
}

TEST_F(WorkerTest, AnswersARecallWithItsStampAtOnce) {
  Open();
  const auto given = Sent<GiveBack>(Receive(Recall{RecallId{1}, 1, false, ClockStamp{5}}));
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].echo, (StampEcho{ClockStamp{5}, Duration::zero()}));
}

TEST_F(WorkerTest, AStampOfTheStreamBeforeIsNotSentBack) {
  Open();
  (void)Receive(Acknowledge{{}, 0, ClockStamp{3}});
  worker.OnDisconnected(now);
  (void)worker.OnConnected(now);
  now += seconds(1);
  const auto reports = Sent<Report>(worker.OnTimer(now));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].echo, StampEcho{});
}

TEST_F(WorkerTest, ACoordinatorOfAnEarlierVersionDoesNotHideAnEarlierStamp) {
  Open();
  (void)Receive(Acknowledge{{}, 0, ClockStamp{3}});
  (void)Receive(Acknowledge{{}, 0});
  now += seconds(1);
  EXPECT_EQ(Sent<Report>(worker.OnTimer(now)).at(0).echo, (StampEcho{ClockStamp{3}, seconds(1)}));
}

TEST_F(WorkerTest, ALargeReportMeasuresTheLinkAndSendsNoStampBack) {
  Open();
  Give({0, 3});
  (void)Receive(Acknowledge{{}, 0, ClockStamp{3}});
  const auto report_of = [this](std::size_t bytes) {
    (void)Take(0);
    BatchOutcome outcome;
    outcome.results.Append(std::string(bytes, 'r'));
    outcome.started = outcome.ended = now;
    now += seconds(1);
    auto reports = Sent<Report>(worker.OnBatchDone(0, std::move(outcome), now));
    EXPECT_EQ(reports.size(), 1U);
    return reports.at(0);
  };
  EXPECT_EQ(report_of(64 * 1024 + 1).echo, StampEcho{});
  EXPECT_EQ(report_of(64 * 1024).echo, (StampEcho{ClockStamp{3}, seconds(2)})) << "the next one";
}

TEST_F(WorkerTest, AcceptsNoTasksBeforeItsWelcome) {
  (void)worker.OnConnected(now);
  Give({0, 2});
  EXPECT_FALSE(worker.Take(0, now));
  (void)Receive(Welcome{});
  EXPECT_TRUE(worker.Take(0, now));
}

TEST_F(WorkerTest, ReportsAtOnceWhenAThreadFindsNoWork) {
  Open();
  Give({0, 1});
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  const auto reports = Sent<Report>(End(0, 1));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].completed[0].range, (model::IndexRange{0, 1}));
}

TEST_F(WorkerTest, WhatThreadsDidInTurnIsOneRow) {
  Open();
  Give({0, 100});
  const Instant begun = now;
  const auto run = [&](std::uint32_t thread, milliseconds from, milliseconds to) {
    now = begun + to;
    BatchOutcome outcome;
    outcome.started = begun + from;
    outcome.ended = now;
    outcome.busy = to - from;
    outcome.results.Append(std::to_string(to.count()));
    return worker.OnBatchDone(thread, std::move(outcome), now);
  };
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  EXPECT_EQ(Take(1), (model::IndexRange{1, 2}));
  EXPECT_TRUE(run(1, milliseconds(0), milliseconds(20)).empty());
  EXPECT_EQ(Take(1), (model::IndexRange{2, 3}));
  EXPECT_TRUE(run(1, milliseconds(20), milliseconds(41)).empty());
  EXPECT_TRUE(run(0, milliseconds(0), milliseconds(42)).empty());
  EXPECT_EQ(Take(1), (model::IndexRange{3, 4}));
  const auto reports = Sent<Report>(run(1, milliseconds(60), milliseconds(110)));
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].completed.size(), 2U);
  const CompletedRange& row = reports[0].completed[0];
  EXPECT_EQ(row.range, (model::IndexRange{0, 3}));
  EXPECT_EQ(row.busy, milliseconds(83)) << "of both threads";
  EXPECT_EQ(row.started_ago, milliseconds(110));
  EXPECT_EQ(row.ended_ago, milliseconds(68));
  EXPECT_EQ(row.results.At(0), "42");
  EXPECT_EQ(row.results.At(1), "20");
  EXPECT_EQ(row.results.At(2), "41");
  EXPECT_EQ(reports[0].completed[1].range, (model::IndexRange{3, 4})) << "after a pause";
}

TEST_F(WorkerTest, ReportsEachTimeThatHalfOfItsWindowIsUsed) {
  Open();
  Give({0, 16});
  std::vector<std::int64_t> waiting;  // tasks in the queue at each report; no time passes
  for (std::int64_t left = 15; left > 2; --left) {
    (void)Take(0);
    if (!Sent<Report>(End(0, 1)).empty()) waiting.push_back(left);
  }
  EXPECT_EQ(waiting, (std::vector<std::int64_t>{8, 4}));
}

TEST_F(WorkerTest, SendsUnacknowledgedResultsAgainOnANewStream) {
  Open();
  Give({0, 1});
  (void)Take(0);
  ASSERT_EQ(Sent<Report>(End(0, 1)).size(), 1U);
  worker.OnDisconnected(now);
  const Hello hello = worker.OnConnected(now);
  ASSERT_EQ(hello.held.size(), 1U);
  EXPECT_EQ(hello.held[0].id, GrantId{});
  EXPECT_EQ(hello.epoch, 1U);
  const auto again = Sent<Report>(Receive(welcome));
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].completed[0].range, (model::IndexRange{0, 1}));
  (void)Receive(Acknowledge{{{0, 1}}, 1});
  worker.OnDisconnected(now);
  EXPECT_TRUE(worker.OnConnected(now).held.empty());
}

TEST_F(WorkerTest, ReturnsTheTagOfTheEpoch) {
  Open();
  EXPECT_EQ(worker.OnConnected(now).epoch_tag, "");
  welcome.epoch = 2;
  welcome.epoch_tag = "of 2";
  (void)Receive(welcome);
  worker.OnDisconnected(now);
  const Hello hello = worker.OnConnected(now);
  EXPECT_EQ(hello.epoch, 2U);
  EXPECT_EQ(hello.epoch_tag, "of 2");
}

TEST_F(WorkerTest, GivesBackTheLastTasksOfItsQueueButNoCopies) {
  Open();
  const GrantId first = Give({0, 5});
  const GrantId second = Give({10, 12});
  Give({20, 22}, true);
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  const auto given = Sent<GiveBack>(Receive(Recall{RecallId{7}, 4}));
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].recall, RecallId{7});
  EXPECT_EQ(given[0].parts,
            (std::vector<Grant>{{second, {10, 12}, false}, {first, {3, 5}, false}}));
}

TEST_F(WorkerTest, DropsWhatIsCancelledAndStopsItIfItRuns) {
  Open();
  Give({0, 4});
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  const Effects effects = Receive(Cancel{{{0, 1}, {2, 3}}, {}});
  ASSERT_EQ(Of<Worker::StopBatch>(effects).size(), 1U);
  EXPECT_EQ(Of<Worker::StopBatch>(effects)[0].thread, 0U);
  (void)End(0, 0);
  EXPECT_EQ(Take(0), (model::IndexRange{1, 2}));
  EXPECT_EQ(Take(1), (model::IndexRange{3, 4}));
}

TEST_F(WorkerTest, KeepsWhatWasGrantedAfterItWasCancelled) {
  Open();
  const GrantId cancelled = Give({0, 2});
  Give({2, 4});
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  (void)Receive(Cancel{{{0, 2}}, GrantId{}});
  (void)End(0, 0);
  EXPECT_EQ(Take(0), (model::IndexRange{2, 3}));
  EXPECT_TRUE(Of<Worker::StopBatch>(Receive(Cancel{{{2, 4}}, cancelled})).empty());
  EXPECT_EQ(Take(1), (model::IndexRange{3, 4}));
}

TEST_F(WorkerTest, ATaskThatRunsTooLongFails) {
  Open();
  Give({3, 4});
  (void)Take(0);
  now += seconds(60);
  EXPECT_EQ(Of<Worker::StopBatch>(worker.OnTimer(now)).size(), 1U);
  const auto reports = Sent<Report>(End(0, 0));
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].failed.size(), 1U);
  EXPECT_EQ(reports[0].failed[0].index, 3);
  EXPECT_EQ(reports[0].failed[0].reason, "took longer than 60 s");
}

TEST_F(WorkerTest, DrainsRunningTasksAndLeavesWhenTheyAreDurable) {
  Open();
  Give({0, 3});
  (void)Take(0);
  EXPECT_TRUE(Sent<Goodbye>(worker.OnDrain(now)).empty());
  EXPECT_FALSE(worker.Take(1, now));
  EXPECT_EQ(Sent<Report>(End(0, 1)).size(), 1U);
  const Effects effects = Receive(Acknowledge{{{0, 1}}, 1});
  EXPECT_EQ(Sent<Goodbye>(effects).size(), 1U);
  EXPECT_EQ(Of<Worker::End>(effects).size(), 1U);
}

TEST_F(WorkerTest, ANewCoordinatorsWorkerForgetsOldGrantsButNotResults) {
  Open();
  Give({0, 3});
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  (void)worker.OnConnected(now);
  welcome.epoch = 2;
  EXPECT_TRUE(Of<Worker::StopBatch>(Receive(welcome)).empty());
  EXPECT_FALSE(worker.Take(1, now));
  EXPECT_EQ(Sent<Report>(End(0, 1)).size(), 1U);
}

TEST_F(WorkerTest, TasksThatMustNotRunTwiceStopForANewCoordinator) {
  Open(false);
  Give({0, 1});
  (void)Take(0);
  (void)worker.OnConnected(now);
  welcome.epoch = 2;
  EXPECT_EQ(Of<Worker::StopBatch>(Receive(welcome)).size(), 1U);
  const Effects effects = End(0, 0);
  EXPECT_TRUE(Sent<GiveBack>(effects).empty()) << "the new one never leased it";
  EXPECT_FALSE(worker.Take(0, now));
}

TEST_F(WorkerTest, TheLeaseRunsFromTheHelloNotFromTheWelcome) {
  welcome.idempotent = false;
  welcome.lease = seconds(4);
  welcome.task_timeout = seconds(60);
  (void)worker.OnConnected(now);
  now += seconds(3);
  (void)Receive(welcome);
  Give({0, 1});
  (void)Take(0);
  EXPECT_LE(worker.NextTimer(), now + seconds(1));
  now += seconds(1);
  EXPECT_EQ(Of<Worker::StopBatch>(worker.OnTimer(now)).size(), 1U);
}

TEST_F(WorkerTest, WithoutALeaseItStopsAndReportsDroppedTasks) {
  Open(false);
  const GrantId grant = Give({0, 3});
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  now += seconds(4);
  const Effects effects = worker.OnTimer(now);
  EXPECT_EQ(Of<Worker::StopBatch>(effects).size(), 1U);
  ASSERT_EQ(Sent<GiveBack>(effects).size(), 1U);
  EXPECT_EQ(Sent<GiveBack>(effects)[0].parts, (std::vector<Grant>{{grant, {1, 3}, false}}));
  EXPECT_GT(worker.NextTimer(), now) << "nothing is left to be stopped";
  const Effects rest = End(0, 0);
  ASSERT_EQ(Sent<GiveBack>(rest).size(), 1U);
  EXPECT_EQ(Sent<GiveBack>(rest)[0].parts, (std::vector<Grant>{{grant, {0, 1}, false}}));
}

TEST_F(WorkerTest, WithoutALeaseItStartsNothingUntilItIsRenewed) {
  Open(false);
  now += seconds(4);
  Give({0, 1});
  EXPECT_FALSE(worker.Take(0, now));
  EXPECT_EQ(Sent<GiveBack>(worker.OnTimer(now)).size(), 1U);  // and it sends a heartbeat
  Give({0, 1});
  EXPECT_EQ(Of<Worker::WorkAvailable>(Receive(Acknowledge{{}, 1})).size(), 1U);
  EXPECT_TRUE(worker.Take(0, now));
}

TEST_F(WorkerTest, BatchesGrowWithShortTasks) {
  Open();
  Give({0, 1000});
  (void)Take(0);
  BatchOutcome outcome;
  outcome.results.Append("r");
  outcome.started = outcome.ended = now;
  outcome.busy = std::chrono::microseconds(100);
  (void)worker.OnBatchDone(0, std::move(outcome), now);
  EXPECT_EQ(Take(0), (model::IndexRange{1, 41})) << "4 ms of 0.1 ms each";
}

// Programs that do all tasks of a grant in one run.
class WholeGrantsTest : public WorkerFixture {
 protected:
  WholeGrantsTest() {
    (void)worker.OnConnected(now);
    Welcome whole;
    whole.runs_whole_grants = true;
    whole.task_timeout = seconds(10);
    whole.lease = std::chrono::hours(1);
    (void)Receive(whole);
  }
  /// The run of thread 0 fails.
  Effects Fail() {
    BatchOutcome outcome;
    outcome.started = outcome.ended = now;
    outcome.failure = model::TaskFailure{"exit code 1", 1, {}};
    return worker.OnBatchDone(0, std::move(outcome), now);
  }
};

TEST_F(WholeGrantsTest, ARunDoesAllOfItsGrant) {
  Give({5, 905});
  const auto batch = worker.Take(0, now);
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->as_one_run);
  EXPECT_EQ(batch->range, (model::IndexRange{5, 905}));
  now += seconds(100);
  EXPECT_TRUE(Of<Worker::CutBatch>(worker.OnTimer(now)).empty());
}

TEST_F(WholeGrantsTest, TheHalvesOfARunThatFailedRunUntilTheFailingTaskIsAlone) {
  Give({0, 5});
  (void)Take(0);
  EXPECT_TRUE(Sent<Report>(Fail()).empty()) << "no task has failed yet";
  EXPECT_EQ(Take(0), (model::IndexRange{0, 2}));
  (void)Fail();
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1}));
  const auto reports = Sent<Report>(Fail());
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].failed.size(), 1U);
  EXPECT_EQ(reports[0].failed[0].index, 0);
  EXPECT_EQ(Take(0), (model::IndexRange{1, 2}));
  EXPECT_EQ(Take(1), (model::IndexRange{2, 5}));
}

TEST_F(WholeGrantsTest, BehindTheTasksThatAreDoneTheNextOneRunsAlone) {
  Give({0, 9});
  (void)Take(0);
  BatchOutcome outcome;
  for (int n = 0; n < 4; ++n) outcome.results.Append(std::string_view());
  outcome.started = now;
  outcome.ended = now += seconds(1);
  outcome.failure = model::TaskFailure{"exit code 1", 1, {}};
  (void)worker.OnBatchDone(0, std::move(outcome), now);
  EXPECT_EQ(Take(0), (model::IndexRange{4, 5}));
  EXPECT_EQ(Take(1), (model::IndexRange{5, 9}));
}

TEST_F(WholeGrantsTest, TheTailOfARunningRunCanBeRecalled) {
  const GrantId grant = Give({0, 100});
  (void)Take(0);
  EXPECT_TRUE(Sent<GiveBack>(Receive(Recall{RecallId{1}, 10}))[0].parts.empty())
      << "it is not known how far the run is";
  worker.NoteProgress(0, 40);
  const auto cut = Of<Worker::CutBatch>(Receive(Recall{RecallId{2}, 30}));
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].max_tasks, 30);
  const auto given = Sent<GiveBack>(worker.OnBatchCut(0, {70, 100}, now));
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].recall, RecallId{2});
  ASSERT_EQ(given[0].parts.size(), 1U);
  EXPECT_EQ(given[0].parts[0].id, grant);
  EXPECT_EQ(given[0].parts[0].range, (model::IndexRange{70, 100}));
  BatchOutcome outcome;
  for (int n = 0; n < 70; ++n) outcome.results.Append(std::string_view());
  outcome.started = now;
  outcome.ended = now += seconds(1);
  (void)worker.OnBatchDone(0, std::move(outcome), now);
  EXPECT_FALSE(worker.Take(0, now)) << "nothing is left";
}

TEST_F(WholeGrantsTest, ReportsSayHowFarRunsAre) {
  Give({0, 100});
  (void)Take(0);
  now += seconds(3);
  worker.NoteProgress(0, 40);
  const auto reports = Sent<Report>(worker.OnTimer(now));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].running, (std::vector<RunningTask>{{40, seconds(3)}}));
  EXPECT_TRUE(Sent<Report>(worker.OnTimer(now)).empty());
}

TEST_F(WholeGrantsTest, ARunThatFailsWhileItsLeaseIsOverGoesBack) {
  (void)worker.OnConnected(now);
  Welcome strict;
  strict.epoch = 2;
  strict.runs_whole_grants = true;
  strict.idempotent = false;
  strict.lease = seconds(5);
  strict.task_timeout = std::chrono::hours(1);
  (void)Receive(strict);
  Give({0, 8});
  ASSERT_TRUE(worker.Take(0, now));
  now += seconds(6);
  EXPECT_EQ(Of<Worker::StopBatch>(worker.OnTimer(now)).size(), 1U);
  const auto given = Sent<GiveBack>(Fail());
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].parts.at(0).range, (model::IndexRange{0, 8}));
}

TEST_F(WholeGrantsTest, TasksThatOthersHaveDoneDoNotRunAgain) {
  Give({0, 8});
  (void)Take(0);
  EXPECT_TRUE(Of<Worker::StopBatch>(Receive(Cancel{{{2, 6}}, {}})).empty());
  (void)Fail();
  EXPECT_EQ(Take(0), (model::IndexRange{0, 2}));
  EXPECT_EQ(Take(1), (model::IndexRange{6, 8}));
}

TEST_F(WholeGrantsTest, ARunWhoseTasksAreAllDoneIsStopped) {
  Give({0, 8});
  (void)Take(0);
  (void)Receive(Cancel{{{0, 6}}, {}});
  EXPECT_EQ(Of<Worker::StopBatch>(Receive(Cancel{{{6, 8}}, {}})).size(), 1U);
}

TEST_F(WholeGrantsTest, TheTimeLimitIsThatOfAllTasks) {
  Give({0, 30});
  (void)Take(0);
  now += seconds(299);
  EXPECT_TRUE(Of<Worker::StopBatch>(worker.OnTimer(now)).empty());
  EXPECT_LE(worker.NextTimer(), now + seconds(1));
  now += seconds(1);
  EXPECT_EQ(Of<Worker::StopBatch>(worker.OnTimer(now)).size(), 1U);
  BatchOutcome stopped;
  stopped.started = stopped.ended = now;
  (void)worker.OnBatchDone(0, std::move(stopped), now);
  EXPECT_EQ(Take(0), (model::IndexRange{0, 15}));
}

// Batches are as large as earlier tasks suggest. When a long task comes after short ones, those
// behind it must not wait for it.
class LongBatchTest : public WorkerFixture {
 protected:
  LongBatchTest() {
    Open();
    grant = Give({0, 10'000});
    LearnThatTasksAreShort(0);
    batch = Take(0);
    EXPECT_GT(batch.Size(), 3000);
  }
  /// Cuts the batch of thread 0 after `started` of its tasks have started.
  Effects Cut(std::int64_t started) {
    return worker.OnBatchCut(0, {batch.begin + started, batch.end}, now);
  }

  GrantId grant;
  model::IndexRange batch;  // of thread 0
};

TEST_F(LongBatchTest, IsCutWhenItLastsSeveralTimesAsLongAsIntended) {
  EXPECT_LE(worker.NextTimer(), now + milliseconds(16));
  now += milliseconds(15);
  EXPECT_TRUE(Of<Worker::CutBatch>(worker.OnTimer(now)).empty());
  now += milliseconds(1);
  const auto cut = Of<Worker::CutBatch>(worker.OnTimer(now));
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].thread, 0U);
  EXPECT_EQ(Of<Worker::WorkAvailable>(Cut(10)).size(), 1U);
  EXPECT_TRUE(Of<Worker::CutBatch>(worker.OnTimer(now + seconds(1))).empty()) << "once";
  EXPECT_EQ(Take(1).begin, 11) << "other threads continue with the later tasks";
}

TEST_F(LongBatchTest, AfterACutTheTasksNotStartedCanBeRecalled) {
  now += milliseconds(16);
  (void)worker.OnTimer(now);
  (void)Cut(10);
  const auto given = Sent<GiveBack>(Receive(Recall{RecallId{1}, 100'000}));
  ASSERT_EQ(given.size(), 1U);
  model::RangeSet back;
  for (const Grant& part : given[0].parts) {
    EXPECT_EQ(part.id, grant);
    back.Insert(part.range);
  }
  EXPECT_EQ(back, model::RangeSet({11, 10'000}));
}

TEST_F(LongBatchTest, AfterACutTheHelloTellsWhatRunsAndWhatWaits) {
  now += milliseconds(16);
  (void)worker.OnTimer(now);
  (void)Cut(10);
  const Hello hello = worker.OnConnected(now);
  model::RangeSet held;
  for (const Grant& part : hello.held) {
    EXPECT_FALSE(held.Overlaps(part.range));
    held.Insert(part.range);
  }
  EXPECT_EQ(held, model::RangeSet({0, 10'000}));
}

TEST_F(LongBatchTest, TheTimeLimitCountsFromTheStartOfTheTaskNotOfItsBatch) {
  now += milliseconds(16);
  (void)worker.OnTimer(now);
  (void)Cut(10);
  const Instant cut = now;
  now = cut + seconds(60) - milliseconds(1);
  EXPECT_TRUE(Of<Worker::StopBatch>(worker.OnTimer(now)).empty());
  EXPECT_EQ(worker.NextTimer(), cut + seconds(60));
  now = cut + seconds(60);
  EXPECT_EQ(Of<Worker::StopBatch>(worker.OnTimer(now)).size(), 1U);
  BatchOutcome outcome;
  for (int i = 0; i < 9; ++i) outcome.results.Append("r");
  outcome.started = outcome.ended = now - seconds(60);
  const auto reports = Sent<Report>(worker.OnBatchDone(0, std::move(outcome), now));
  ASSERT_EQ(reports.size(), 1U);
  ASSERT_EQ(reports[0].failed.size(), 1U);
  EXPECT_EQ(reports[0].failed[0].index, 10) << "the task that ran at the cut";
}

TEST_F(LongBatchTest, IsCutBeforeATimeLimitCanBeChargedAfterAStallOfTheWorker) {
  now += seconds(100);
  const Effects effects = worker.OnTimer(now);
  EXPECT_TRUE(Of<Worker::StopBatch>(effects).empty()) << "which task has run for long is unknown";
  EXPECT_EQ(Of<Worker::CutBatch>(effects).size(), 1U);
}

TEST_F(LongBatchTest, CutBeforeItsFirstTaskItNeedsNoTimer) {
  now += milliseconds(16);
  (void)worker.OnTimer(now);
  (void)Cut(0);
  now += seconds(100);
  EXPECT_TRUE(Of<Worker::StopBatch>(worker.OnTimer(now)).empty());
  EXPECT_GT(worker.NextTimer(), now);
  BatchOutcome nothing;
  nothing.started = nothing.ended = now;
  (void)worker.OnBatchDone(0, std::move(nothing), now);
  EXPECT_EQ(Take(0).begin, 1);
}

TEST_F(LongBatchTest, TasksOfAnEarlierEpochDoNotComeBack) {
  (void)worker.OnConnected(now);
  welcome.epoch = 2;
  (void)Receive(welcome);
  now += milliseconds(16);
  EXPECT_EQ(Of<Worker::CutBatch>(worker.OnTimer(now)).size(), 1U);
  EXPECT_TRUE(Cut(10).empty());
  EXPECT_FALSE(worker.Take(1, now));
}

TEST_F(LongBatchTest, TheNextBatchesAreSmaller) {
  now += milliseconds(16);
  (void)worker.OnTimer(now);
  (void)Cut(4);
  EXPECT_EQ(Take(1).Size(), 1) << "4 tasks in 16 ms";
}

TEST_F(WorkerTest, GivesBackGrantsOfMoreTasksThanCanBeCounted) {
  Open();
  constexpr std::int64_t kMany = std::int64_t{1} << 60;
  EXPECT_TRUE(Sent<GiveBack>(Receive(Assign{{{GrantId{1}, {0, kMany}}}})).empty());
  const Grant more{GrantId{2}, {kMany, 5 * kMany}};
  const auto given = Sent<GiveBack>(Receive(Assign{{more}}));
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(given[0].recall, RecallId{});
  EXPECT_EQ(given[0].parts, std::vector<Grant>{more});
  EXPECT_EQ(Take(0), (model::IndexRange{0, 1})) << "the first grant is kept";
}

}  // namespace
}  // namespace evenkeel::engine
