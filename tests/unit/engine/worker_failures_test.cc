// Worker: tasks that fail, that are tried again, and their inputs.
#include <string>
#include <utility>

#include "tests/unit/engine/worker_fixture.h"

namespace evenkeel::engine {
namespace {

using std::chrono::seconds;

using WorkerFailuresTest = WorkerFixture;

TEST_F(WorkerFailuresTest, TheOutputOfATaskBeforeItsTimeoutIsReported) {
  Open();
  Give({3, 4});
  (void)Take(0);
  now += seconds(60);
  (void)worker.OnTimer(now);
  BatchOutcome outcome;
  outcome.started = outcome.ended = now - seconds(60);
  outcome.stopped_record = "working ...";
  const auto reports = Sent<Report>(worker.OnBatchDone(0, std::move(outcome), now));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].failed[0].record, "working ...");
  EXPECT_FALSE(reports[0].failed[0].exit_code);
  EXPECT_EQ(reports[0].failed[0].busy, seconds(60));
}

TEST_F(WorkerFailuresTest, AFailureIsReportedWithItsExitCodeAndRecord) {
  Open();
  Give({3, 4});
  (void)Take(0);
  BatchOutcome outcome;
  outcome.started = outcome.ended = now;
  outcome.failure = model::TaskFailure{"exit code 7", 7, "out"};
  const auto reports = Sent<Report>(worker.OnBatchDone(0, std::move(outcome), now));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].failed[0].exit_code, 7);
  EXPECT_EQ(reports[0].failed[0].record, "out");
}

TEST_F(WorkerFailuresTest, ATaskThatCannotBeBegunHereIsNotChargedAndTheWorkerLeaves) {
  Open();
  Give({0, 4});
  (void)Take(0);
  (void)Take(1);
  BatchOutcome outcome;
  outcome.started = outcome.ended = now;
  outcome.unable = "no launcher";
  auto effects = worker.OnBatchDone(0, std::move(outcome), now);
  ASSERT_EQ(Of<Worker::Unable>(effects).size(), 1U);
  EXPECT_EQ(Of<Worker::Unable>(effects)[0].reason, "no launcher");
  EXPECT_TRUE(Sent<Report>(effects).empty());
  (void)worker.OnDrain(now);
  effects = End(1, 1);
  EXPECT_EQ(Sent<Report>(effects).size(), 1U) << "completed tasks are reported";
  EXPECT_TRUE(Sent<Goodbye>(effects).empty());
  effects = Receive(Acknowledge{{{1, 2}}, 1});
  EXPECT_EQ(Sent<Goodbye>(effects).size(), 1U);
  EXPECT_EQ(Of<Worker::End>(effects).size(), 1U);
}

TEST_F(WorkerFailuresTest, ATaskThatCouldNotBeBegunInItsTimeIsNotChargedEither) {
  Open();
  Give({3, 4});
  (void)Take(0);
  now += seconds(60);
  (void)worker.OnTimer(now);
  BatchOutcome outcome;
  outcome.started = outcome.ended = now;
  outcome.unable = "no launcher";
  const auto effects = worker.OnBatchDone(0, std::move(outcome), now);
  EXPECT_TRUE(Sent<Report>(effects).empty());
  EXPECT_EQ(Of<Worker::Unable>(effects).size(), 1U);
}

TEST_F(WorkerFailuresTest, ACancelledTaskDoesNotMakeTheWorkerUnable) {
  Open();
  Give({3, 4});
  (void)Take(0);
  (void)Receive(Cancel{{{3, 4}}, {}});
  BatchOutcome outcome;
  outcome.started = outcome.ended = now;
  outcome.unable = "told to stop";
  EXPECT_TRUE(Of<Worker::Unable>(worker.OnBatchDone(0, std::move(outcome), now)).empty());
}

// Reports are counted at both ends, and the wire may cut one that is large.
TEST_F(WorkerFailuresTest, LargeRecordsAreReportsOfTheirOwn) {
  Open();
  Give({0, 3});
  worker.OnDisconnected(now);
  for (int i = 0; i < 3; ++i) {
    (void)Take(0);
    BatchOutcome outcome;
    outcome.started = outcome.ended = now;
    outcome.failure = model::TaskFailure{"no", 1, std::string(200 << 10, 'x')};
    EXPECT_TRUE(Sent<Report>(worker.OnBatchDone(0, std::move(outcome), now)).empty());
  }
  (void)worker.OnConnected(now);
  const auto reports = Sent<Report>(Receive(welcome));
  ASSERT_EQ(reports.size(), 3U);
  for (const Report& report : reports) EXPECT_EQ(report.failed.size(), 1U);
}

TEST_F(WorkerFailuresTest, RetriesGoFirstAndAreNotTakenOver) {
  Open();
  Give({0, 4});
  (void)Receive(Assign{{{GrantId{9}, {7, 8}, false, 2, {}}}});
  const auto taken = Sent<GiveBack>(Receive(Recall{RecallId{1}, 10, false}));
  ASSERT_EQ(taken[0].parts.size(), 1U);
  EXPECT_EQ(taken[0].parts[0].range, (model::IndexRange{0, 4}));
  Give({4, 5});
  const auto batch = worker.Take(0, now);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->range, (model::IndexRange{7, 8}));
  EXPECT_EQ(batch->attempt, 2);
  (void)Receive(Assign{{{GrantId{10}, {8, 9}, false, 1, {}}}});
  EXPECT_EQ(Sent<GiveBack>(Receive(Recall{RecallId{2}, 10, true}))[0].parts.size(), 2U)
      << "nothing is to start any more";
}

TEST_F(WorkerFailuresTest, InputsStayWithTheirTasksHoweverGrantsAreCut) {
  Open();
  const model::TaskInputs inputs(0, model::PackedResults::OfSizes({1, 2, 3, 1}, "abbcccd"));
  (void)Receive(Assign{{{GrantId{1}, {0, 4}, false, 0, inputs}}});
  (void)Receive(Cancel{{{1, 2}}, {}});
  (void)Receive(Recall{RecallId{1}, 1, false});
  EXPECT_EQ(worker.Take(0, now)->inputs.Of(0), "a");
  const auto batch = worker.Take(1, now);
  EXPECT_EQ(batch->range, (model::IndexRange{2, 3}));
  EXPECT_EQ(batch->inputs.Of(2), "ccc");
}

}  // namespace
}  // namespace evenkeel::engine
