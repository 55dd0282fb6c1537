#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/coordinator_loop.h"
#include "coordinator/journal_queue.h"
#include "core/engine/worker.h"
#include "tests/unit/coordinator/job_fakes.h"

namespace evenkeel::coordinator {

/// A clock that the test advances.
class VirtualClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override { return now; }
  Instant now{std::chrono::seconds(100)};
};

/// A journal in memory whose commits take `commit_time`, and fail on request.
class SlowJournal final : public RecordSink {
 public:
  SlowJournal(const Clock& clock, LoopInbox& inbox) : clock_(clock), inbox_(inbox) {}

  void Append(JournalEntry entry) override {
    if (const auto* batch = std::get_if<engine::Persist>(&entry)) {
      for (const auto& record : batch->results) {
        results += record.range.Size();
      }
    } else if (const auto* more = std::get_if<std::vector<model::TimelineEvent>>(&entry)) {
      events.insert(events.end(), more->begin(), more->end());
    }
    queue_.Add(std::move(entry));
    largest_backlog = std::max(largest_backlog, queue_.PendingBytes());
    BeginCommit();
  }
  [[nodiscard]] std::size_t PendingBytes() const override { return queue_.PendingBytes(); }

  [[nodiscard]] Instant NextCommit() const { return committing_ ? done_at_ : kNever; }
  /// To be called at NextCommit.
  void Advance() {
    while (committing_ && clock_.Now() >= done_at_) {
      const JournalQueue::Group group = *std::exchange(committing_, {});
      queue_.OnCommitted(group);
      for (const VersionChange& change : group.versions) {
        std::optional<Error> error;
        if (!version_errors.empty()) {
          error = version_errors.front();
          version_errors.pop_front();
        }
        inbox_.Post(VersionCommitted{change.version, change.identity, error});
      }
      if (write_error) {
        inbox_.Post(JournalFailed{*write_error});
        return;
      }
      if (group.last) inbox_.Post(BatchCommitted{*group.last});
      BeginCommit();
    }
  }

  Duration commit_time = std::chrono::milliseconds(1);
  std::optional<Error> write_error;
  std::deque<Error> version_errors;  ///< of the next versions
  std::int64_t results = 0;
  std::size_t largest_backlog = 0;
  std::vector<model::TimelineEvent> events;

 private:
  void BeginCommit() {
    if (committing_ || !queue_.Urgent()) return;
    committing_ = queue_.Take();
    done_at_ = clock_.Now() + commit_time;
  }

  const Clock& clock_;
  LoopInbox& inbox_;
  JournalQueue queue_;
  std::optional<JournalQueue::Group> committing_;
  Instant done_at_{};
};

/// Keeps what the loop shows; wants progress every second.
class RecordingProgress final : public ProgressSink {
 public:
  explicit RecordingProgress(const Clock& clock) : clock_(clock), next_(clock.Now()) {}
  [[nodiscard]] Instant NextProgress() const override { return next_; }
  void PutProgress(engine::Progress progress) override {
    latest = std::move(progress);
    next_ = clock_.Now() + std::chrono::seconds(1);
  }
  void Put(RunNotice notice) override { notices.push_back(std::move(notice)); }

  engine::Progress latest;
  std::vector<RunNotice> notices;

 private:
  const Clock& clock_;
  Instant next_;
};

/// A loop in virtual time with real workers' state machines, one thread each, that run every task
/// in `task_time` and return `result_bytes` each. Messages arrive at once. The environment of the
/// loop can be stalled and made to fail.
class LoopFixture : public testing::Test, private Transport {
 protected:
  explicit LoopFixture(LoopInbox::Limits limits = {}) : inbox(limits) {
    spec.balancing.lease = std::chrono::seconds(10);
  }

  void Start(std::int64_t tasks, std::size_t nodes) {
    version = std::make_shared<const JobVersion>(spec, std::make_shared<FakeWorkload>(tasks));
    CoordinatorLoop::Config config;
    config.version = version;
    config.engine = EngineConfigOf(*version);
    config.max_pending_bytes = max_pending_bytes;
    config.deadline = deadline;
    config.deadline_reason = "too late";
    for (std::size_t i = 0; i < nodes; ++i) config.engine.nodes.push_back({Name(i), 1.0});
    began = clock.now;
    loop = std::make_unique<CoordinatorLoop>(
        std::move(config), CoordinatorLoop::Ports{clock, inbox, *this, journal, &progress});
    loop->Start();
    for (std::size_t i = 0; i < nodes; ++i) AddWorker(i);
  }
  static std::string Name(std::size_t node) { return "node-" + std::to_string(node); }

  /// Advances time in small steps until `done` returns true, or by `at_most`.
  void RunUntil(const std::function<bool()>& done, Duration at_most) {
    for (const Instant last = clock.now + at_most; clock.now < last && !done();) {
      clock.now += kStep;
      journal.Advance();
      for (Node& node : nodes_) MoveWorker(node);
      const bool runs = clock.now >= stopped_until && !loop->Ended();
      if (runs && (inbox.Size() > 0 || clock.now >= loop->NextWakeup())) {
        loop->Step();
        loop->engine().CheckInvariants();
      }
    }
  }
  void RunFor(Duration time) {
    RunUntil([] { return false; }, time);
  }
  /// Fails the test if the job does not end in time. Returns how long the run took.
  Duration RunToTheEnd(Duration at_most) {
    RunUntil([this] { return loop->Ended(); }, at_most);
    EXPECT_TRUE(loop->Ended());
    end = loop->Finish();
    return clock.now - began;
  }
  /// Nothing steps the loop for so long.
  void StopLoop(Duration time) { stopped_until = clock.now + time; }
  /// Ends the worker's process without closing its connection.
  void Kill(std::size_t node) { nodes_[node].gone = true; }

  [[nodiscard]] std::vector<std::string> Lost() const {
    std::vector<std::string> lost;
    for (const auto& event : journal.events) {
      if (event.kind == model::TimelineEvent::Kind::kLost) lost.push_back(event.node);
    }
    return lost;
  }
  [[nodiscard]] std::int64_t DurableTasks() const { return progress.latest.tasks_completed; }

  static constexpr Duration kStep = std::chrono::milliseconds(10);
  model::JobSpec spec = FakeSpec();
  SharedJobVersion version;
  Duration task_time = std::chrono::milliseconds(500);
  std::size_t result_bytes = 100;
  std::size_t max_pending_bytes = 64 << 20;
  VirtualClock clock;
  Instant deadline = kNever;
  LoopInbox inbox;
  SlowJournal journal{clock, inbox};
  RecordingProgress progress{clock};
  std::unique_ptr<CoordinatorLoop> loop;
  LoopEnd end;
  Instant began{};
  Instant stopped_until{};
  int unread_streams = 0;  ///< how often a stream was not read on

 private:
  struct Node {
    StreamId stream;
    engine::Worker worker;
    std::optional<engine::Batch> batch{};
    Instant started{};
    bool gone = false;
    bool unread = false;
    std::deque<engine::ToCoordinator> on_the_way{};  // until the stream is read
  };

  void AddWorker(std::size_t number) {
    engine::WorkerConfig config;
    config.node = Name(number);
    config.incarnation = config.node + "/1";
    config.workload = spec.workload;
    nodes_.push_back({StreamId{number + 1}, engine::Worker(config)});
    Node& node = nodes_.back();
    inbox.Post(MessageReceived{node.stream, node.worker.OnConnected(clock.now)});
  }

  void MoveWorker(Node& node) {
    if (node.gone) return;
    if (clock.now >= node.worker.NextTimer()) Take(node, node.worker.OnTimer(clock.now));
    if (node.batch && clock.now >= node.started + node.batch->range.Size() * task_time) {
      engine::BatchOutcome outcome;
      for (auto i = node.batch->range.begin; i < node.batch->range.end; ++i) {
        outcome.results.Append(std::string(result_bytes, 'r'));
      }
      outcome.started = node.started;
      outcome.ended = clock.now;
      outcome.busy = clock.now - node.started;
      node.batch.reset();
      Take(node, node.worker.OnBatchDone(0, std::move(outcome), clock.now));
    }
    if (!node.batch) {
      node.batch = node.worker.Take(0, clock.now);
      node.started = clock.now;
    }
  }

  void Take(Node& node, engine::Worker::Effects effects) {
    for (auto& effect : effects) {
      auto* send = std::get_if<engine::Worker::SendToCoordinator>(&effect);
      if (send != nullptr) node.on_the_way.push_back(std::move(send->message));
    }
    Read(node);
  }

  void Read(Node& node) {
    while (!node.unread && !node.on_the_way.empty()) {
      inbox.Post(MessageReceived{node.stream, std::move(node.on_the_way.front())});
      node.on_the_way.pop_front();
      node.unread = !inbox.MayReadOn(node.stream);
      if (node.unread) ++unread_streams;
    }
  }

  void Send(StreamId stream, engine::ToWorker message) override {
    Node& node = nodes_[stream.value - 1];
    if (!node.gone) Take(node, node.worker.OnMessage(std::move(message), clock.now));
  }
  void Close(StreamId stream) override { inbox.Post(StreamClosed{stream}); }
  void ReadOn(StreamId stream) override {
    Node& node = nodes_[stream.value - 1];
    ASSERT_TRUE(node.unread);
    node.unread = false;
    Read(node);
  }

  std::deque<Node> nodes_;
};

}  // namespace evenkeel::coordinator
