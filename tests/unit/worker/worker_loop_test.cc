// The whole worker in virtual time: a scripted coordinator, threads that run nothing by themselves.
#include "worker/worker_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evenkeel::worker {
namespace {

using engine::GrantId;
using model::IndexRange;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class VirtualClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override { return now; }
  Instant now{seconds(1000)};
};

/// Records sent messages. While `stalled`, messages are lost.
class MemoryTransport final : public Transport {
 public:
  void Open(std::uint64_t stream, Duration) override {
    open = stream;
    ++opened;
  }
  void Send(engine::ToCoordinator message) override {
    if (open != 0 && !stalled) sent.push_back(std::move(message));
  }
  void Drop() override { open = 0; }

  template <typename Message>
  [[nodiscard]] std::vector<Message> Sent() const {
    std::vector<Message> found;
    for (const auto& message : sent) {
      if (const auto* one = std::get_if<Message>(&message)) found.push_back(*one);
    }
    return found;
  }

  std::uint64_t open = 0;  // 0: none
  int opened = 0;
  bool stalled = false;
  std::vector<engine::ToCoordinator> sent;
};

/// Threads whose tasks take as long as the test wants.
class MemoryThreads final : public TaskThreads {
 public:
  void Wake() override { ++wakes; }
  void Stop(std::uint32_t thread) override { stopped.push_back(thread); }
  model::IndexRange Cut(std::uint32_t, std::int64_t, Instant) override {
    return std::exchange(unstarted, {});
  }
  [[nodiscard]] model::TaskIndex Progress(std::uint32_t) const override { return 0; }

  int wakes = 0;
  std::vector<std::uint32_t> stopped;
  model::IndexRange unstarted;  // what the next cut takes back
};

class MemoryJobs final : public JobLoader {
 public:
  Result<void> Load(const engine::Welcome& welcome) override {
    loaded.push_back(welcome.job);
    if (!error.empty()) return Fail(ErrorCode::kInvalidInput, error);
    return {};
  }
  [[nodiscard]] std::int64_t TasksAhead() const override { return ahead; }
  void FetchAhead(const std::vector<engine::HeldTask>& tasks) override {
    ++told;
    running.clear();
    waiting.clear();
    for (const engine::HeldTask& task : tasks) {
      (task.waits ? waiting : running).push_back(task.index);
    }
  }
  std::vector<std::string> loaded;
  std::string error;
  std::int64_t ahead = 0;
  int told = 0;
  std::vector<model::TaskIndex> running;
  std::vector<model::TaskIndex> waiting;
};

class WorkerLoopTest : public testing::Test {
 protected:
  static WorkerLoop::Options Settings() {
    WorkerLoop::Options options;
    options.connection.address = "host:1";
    options.connection.give_up_after = minutes(10);
    options.drain_grace = seconds(20);
    return options;
  }
  static engine::WorkerConfig Config() {
    engine::WorkerConfig config;
    config.node = "a";
    config.incarnation = "a/1";
    config.boot_id = "boot-1";
    config.threads = 2;
    return config;
  }
  static engine::Welcome WelcomeOf(std::uint64_t epoch, bool idempotent = true) {
    engine::Welcome welcome;
    welcome.epoch = epoch;
    welcome.job = "job";
    welcome.report_interval = milliseconds(100);
    welcome.lease = seconds(4);
    welcome.idempotent = idempotent;
    welcome.task_timeout = minutes(10);
    return welcome;
  }

  /// Lets time pass, with a step whenever one is due.
  void Pass(Duration time) {
    const Instant until = clock.now + time;
    loop.Step();
    while (!loop.End() && loop.NextWakeup() <= until) {
      ASSERT_LT(++steps, 100'000) << "the loop does not sleep";
      clock.now = std::max(clock.now, loop.NextWakeup());
      loop.Step();
    }
    clock.now = until;
  }
  void Receive(engine::ToWorker message) { loop.OnMessage(transport.open, std::move(message)); }
  void Join(std::uint64_t epoch = 1, bool idempotent = true) {
    Pass(Duration{});
    Receive(WelcomeOf(epoch, idempotent));
  }
  void Give(IndexRange range) { Receive(engine::Assign{{{GrantId{++grants}, range, false}}}); }
  void EndBatch(std::uint32_t thread, std::int64_t tasks, std::string unable = {}) {
    engine::BatchOutcome outcome;
    outcome.started = clock.now - seconds(tasks);
    outcome.ended = clock.now;
    outcome.busy = seconds(tasks);
    for (std::int64_t i = 0; i < tasks; ++i) outcome.results.Append("r");
    outcome.unable = std::move(unable);
    loop.OnBatchDone(thread, std::move(outcome));
  }
  void CloseStream(const std::string& reason) { logged = loop.OnClosed(transport.open, reason); }

  VirtualClock clock;
  MemoryTransport transport;
  MemoryThreads threads;
  MemoryJobs jobs;
  WorkerLoop loop{Settings(), Config(), {clock, transport, threads, jobs}};
  std::uint64_t grants = 0;
  int steps = 0;
  std::optional<std::string> logged;  // for the last stream that was closed
};

TEST_F(WorkerLoopTest, SendsHelloAndRunsItsGrants) {
  Join();
  ASSERT_EQ(transport.Sent<engine::Hello>().size(), 1U);
  EXPECT_EQ(transport.Sent<engine::Hello>()[0].boot_id, "boot-1");
  EXPECT_EQ(jobs.loaded, (std::vector<std::string>{"job"}));
  const int before = threads.wakes;
  Give({0, 1});
  EXPECT_GT(threads.wakes, before);
  ASSERT_TRUE(loop.Take(0));
  EXPECT_FALSE(loop.Take(1));
  Pass(seconds(1));
  EndBatch(0, 1);
  ASSERT_FALSE(transport.Sent<engine::Report>().empty());
  EXPECT_EQ(transport.Sent<engine::Report>().back().completed[0].range, (IndexRange{0, 1}));
  Receive(engine::Finish{"done"});
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->exit, WorkerExit::kDone);
  EXPECT_EQ(loop.NextWakeup(), kNever);
}

TEST_F(WorkerLoopTest, TheDataOfTheNextTasksCanBeFetchedAhead) {
  using Tasks = std::vector<model::TaskIndex>;
  jobs.ahead = 3;
  Join();
  Give({0, 10});
  EXPECT_EQ(jobs.running, Tasks{});
  EXPECT_EQ(jobs.waiting, (Tasks{0, 1, 2}));
  ASSERT_TRUE(loop.Take(0));
  EXPECT_EQ(jobs.running, Tasks{0});
  EXPECT_EQ(jobs.waiting, (Tasks{1, 2, 3}));
  const int told = jobs.told;
  Pass(seconds(3));
  EXPECT_EQ(jobs.told, told) << "nothing has changed";
  Receive(engine::Recall{7, 8});
  EXPECT_EQ(jobs.waiting, Tasks{1});
  EndBatch(0, 1);
  EXPECT_EQ(jobs.running, Tasks{});
  Receive(engine::Finish{"done"});
  EXPECT_EQ(jobs.waiting, Tasks{}) << "nothing is fetched for a job that has ended";
}

TEST_F(WorkerLoopTest, WithoutWorkItWakesForHeartbeatsOnly) {
  Join();
  Pass(seconds(100));
  EXPECT_LE(steps, 101) << "a lease of 4 s has four heartbeats";
  EXPECT_GE(transport.Sent<engine::Report>().size(), 99U);
}

TEST_F(WorkerLoopTest, ComesBackWithGrowingPausesAndReportsAgain) {
  Join();
  Give({0, 1});
  (void)loop.Take(0);
  EndBatch(0, 1);
  CloseStream("reset");
  EXPECT_EQ(logged, "lost the coordinator: reset");
  EXPECT_EQ(transport.open, 0U);
  for (const Instant until = clock.now + minutes(2); clock.now < until;) {
    Pass(milliseconds(1));
    if (transport.open != 0) CloseStream("refused");
  }
  EXPECT_GE(transport.opened, 25);
  EXPECT_LE(transport.opened, 70);
  transport.sent.clear();
  Pass(seconds(5));
  ASSERT_NE(transport.open, 0U);
  Receive(WelcomeOf(1));
  ASSERT_FALSE(transport.Sent<engine::Report>().empty());
  EXPECT_EQ(transport.Sent<engine::Report>()[0].completed[0].range, (IndexRange{0, 1}));
}

TEST_F(WorkerLoopTest, GivesUpOnACoordinatorThatWentAway) {
  Join();
  const Instant lost = clock.now;
  CloseStream("reset");
  while (!loop.End()) {
    Pass(milliseconds(10));
    if (transport.open != 0) CloseStream("refused");
  }
  EXPECT_EQ(loop.End()->exit, WorkerExit::kNoCoordinator);
  EXPECT_EQ(loop.End()->reason, "no coordinator at host:1 for 600 s");
  EXPECT_GE(clock.now, lost + minutes(10));
  EXPECT_LE(clock.now, lost + minutes(10) + milliseconds(10));
}

TEST_F(WorkerLoopTest, EventsOfAStreamThatWasReplacedChangeNothing) {
  Join();
  const std::uint64_t first = transport.open;
  CloseStream("reset");
  Pass(seconds(1));
  ASSERT_NE(transport.open, first);
  loop.OnMessage(first, engine::Finish{"late"});
  EXPECT_FALSE(loop.OnClosed(first, "late"));
  EXPECT_FALSE(loop.End());
  EXPECT_NE(transport.open, 0U);
}

TEST_F(WorkerLoopTest, EndsAfterARefusal) {
  Pass(Duration{});
  Receive(engine::Refusal{"wrong token"});
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->exit, WorkerExit::kRefused);
  EXPECT_EQ(loop.End()->reason, "wrong token");
}

TEST_F(WorkerLoopTest, SendsGoodbyeIfTheJobCannotBeLoaded) {
  jobs.error = "spec.workload.synthetic.tasks: must be positive";
  Join();
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->exit, WorkerExit::kFailed);
  EXPECT_EQ(loop.End()->reason, jobs.error);
  EXPECT_EQ(transport.Sent<engine::Goodbye>().size(), 1U);
}

TEST_F(WorkerLoopTest, DrainingItWaitsForTheTaskAndItsAcknowledgement) {
  Join();
  Give({0, 10});
  (void)loop.Take(0);
  loop.Drain();
  loop.Drain();
  EXPECT_FALSE(loop.Take(1)) << "nothing new starts";
  Pass(seconds(19));
  EXPECT_TRUE(threads.stopped.empty());
  EndBatch(0, 1);
  EXPECT_FALSE(loop.End());
  Receive(engine::Acknowledge{{{0, 1}}, 1});
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->exit, WorkerExit::kDone);
  EXPECT_EQ(transport.Sent<engine::Goodbye>().size(), 1U);
}

TEST_F(WorkerLoopTest, TasksThatOutlastTheGraceAreStoppedAndGoBack) {
  Join();
  Give({0, 1});
  (void)loop.Take(0);
  loop.Drain();
  Pass(seconds(20));
  EXPECT_EQ(threads.stopped, (std::vector<std::uint32_t>{0, 1}));
  EndBatch(0, 0);
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->exit, WorkerExit::kDone);
  EXPECT_EQ(transport.Sent<engine::Goodbye>().size(), 1U);
}

TEST_F(WorkerLoopTest, ACoordinatorThatAcknowledgesNothingDoesNotHoldUpTheEnd) {
  Join();
  Give({0, 1});
  (void)loop.Take(0);
  EndBatch(0, 1);
  loop.Drain();
  Pass(seconds(21));
  EXPECT_FALSE(loop.End());
  Pass(seconds(1));
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->reason, "told to stop; the last results were not acknowledged");
}

TEST_F(WorkerLoopTest, DrainingWithoutACoordinatorItEndsAtOnce) {
  Join();
  Give({0, 1});
  (void)loop.Take(0);
  loop.Drain();
  EndBatch(0, 1);
  CloseStream("reset");
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->exit, WorkerExit::kDone);
}

TEST_F(WorkerLoopTest, AnotherEpochKeepsResultsButNotLeases) {
  Join(1, false);
  Give({0, 10});
  (void)loop.Take(0);
  CloseStream("the coordinator was restarted");
  Pass(seconds(1));
  Receive(WelcomeOf(2, false));
  EXPECT_EQ(threads.stopped, (std::vector<std::uint32_t>{0})) << "it will be leased elsewhere";
  EndBatch(0, 1);
  EXPECT_FALSE(loop.Take(0));
  EXPECT_EQ(transport.Sent<engine::Report>().back().completed[0].range, (IndexRange{0, 1}));
  EXPECT_EQ(jobs.loaded.size(), 2U) << "the job may have grown";
}

TEST_F(WorkerLoopTest, BehindAStalledStreamTasksThatMustNotRunTwiceStopWithTheirLease) {
  Join(1, false);
  Give({0, 10});
  (void)loop.Take(0);
  transport.stalled = true;
  Pass(seconds(4) - milliseconds(1));
  EXPECT_TRUE(threads.stopped.empty());
  Pass(milliseconds(1));
  EXPECT_EQ(threads.stopped, (std::vector<std::uint32_t>{0}));
  EndBatch(0, 0);
  EXPECT_FALSE(loop.Take(0));
  transport.stalled = false;
  Pass(seconds(2));  // heartbeats get through again
  Receive(engine::Acknowledge{{}, 5});
  Give({10, 11});
  EXPECT_TRUE(loop.Take(0));
}

TEST_F(WorkerLoopTest, BehindAStalledStreamTasksThatMayRunTwiceGoOn) {
  Join();
  Give({0, 10});
  (void)loop.Take(0);
  transport.stalled = true;
  Pass(minutes(5));
  EXPECT_TRUE(threads.stopped.empty());
  EndBatch(0, 1);
  EXPECT_TRUE(loop.Take(0));
}

TEST_F(WorkerLoopTest, ABatchThatLastsTooLongIsCut) {
  Join();
  Give({0, 10'000});
  (void)loop.Take(0);
  engine::BatchOutcome quick;
  quick.results.Append("r");
  quick.started = quick.ended = clock.now;
  quick.busy = std::chrono::microseconds(1);
  loop.OnBatchDone(0, std::move(quick));
  const auto batch = loop.Take(0);
  ASSERT_TRUE(batch);
  ASSERT_GT(batch->range.Size(), 1000);
  threads.unstarted = {batch->range.begin + 3, batch->range.end};
  Pass(milliseconds(15));
  EXPECT_FALSE(threads.unstarted.Empty()) << "not yet";
  Pass(milliseconds(1));
  EXPECT_TRUE(threads.unstarted.Empty());
  const auto next = loop.Take(1);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->range.begin, batch->range.begin + 3);
}

TEST_F(WorkerLoopTest, ATaskThatFailsIsReportedAndTheWorkerGoesOn) {
  Join();
  Give({0, 2});
  (void)loop.Take(0);
  engine::BatchOutcome outcome;
  outcome.started = outcome.ended = clock.now;
  outcome.failure = model::TaskFailure{"exception: no such matrix", {}, {}};
  loop.OnBatchDone(0, std::move(outcome));
  ASSERT_EQ(transport.Sent<engine::Report>().size(), 1U);
  EXPECT_EQ(transport.Sent<engine::Report>()[0].failed[0].reason, "exception: no such matrix");
  EXPECT_FALSE(loop.End());
  EXPECT_TRUE(loop.Take(0));
}

TEST_F(WorkerLoopTest, LeavesWithTheReasonIfNoTaskCanRun) {
  Join();
  Give({0, 2});
  (void)loop.Take(0);
  EndBatch(0, 0, "no launcher");
  ASSERT_TRUE(loop.End());
  EXPECT_EQ(loop.End()->exit, WorkerExit::kFailed);
  EXPECT_EQ(loop.End()->reason, "no launcher; the worker leaves, its tasks go to others");
  EXPECT_EQ(transport.Sent<engine::Goodbye>().size(), 1U);
}

}  // namespace
}  // namespace evenkeel::worker
