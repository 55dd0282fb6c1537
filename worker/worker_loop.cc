#include "worker/worker_loop.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace evenkeel::worker {
namespace {

// After the grace of a drain: for the last results to be acknowledged.
constexpr Duration kLastMessages = std::chrono::seconds(2);

}  // namespace

bool DrainDeadline::Start(Instant now, Duration grace) {
  if (Started()) return false;
  until_ = now + grace;
  return true;
}

DrainDeadline::Due DrainDeadline::OnTimer(Instant now) {
  if (now < until_) return Due::kNothing;
  until_ = now + kLastMessages;
  return std::exchange(tasks_stopped_, true) ? Due::kEnd : Due::kStopTasks;
}

WorkerLoop::WorkerLoop(Options options, engine::WorkerConfig config, Seams seams)
    : drain_grace_(options.drain_grace),
      thread_count_(config.threads),
      seams_(seams),
      engine_(std::move(config)),
      connection_(std::move(options.connection)) {}

void WorkerLoop::Step() {
  const Instant now = seams_.clock.Now();
  if (!end_ && connection_.ShouldConnect(now)) Connect(now);
  if (!end_ && connection_.ShouldGiveUp(now)) {
    EndWith(WorkerExit::kNoCoordinator, connection_.GiveUpReason());
  }
  if (!end_) ContinueDrain(now);
  if (!end_) NoteProgress();
  if (!end_) Apply(engine_.OnTimer(now), now);
}

void WorkerLoop::NoteProgress() {
  if (!engine_.RunsWholeGrants()) return;
  for (std::uint32_t i = 0; i < thread_count_; ++i) {
    engine_.NoteProgress(i, seams_.threads.Progress(i));
  }
}

Instant WorkerLoop::NextWakeup() const {
  if (end_) return kNever;
  return std::min({engine_.NextTimer(), connection_.NextTimer(), drain_.Next()});
}

void WorkerLoop::Connect(Instant now) {
  const ConnectionKeeper::Attempt attempt = connection_.StartAttempt(now);
  seams_.transport.Open(attempt.stream, attempt.timeout);
  seams_.transport.Send(engine_.OnConnected(now));
}

void WorkerLoop::OnMessage(std::uint64_t stream, engine::ToWorker message) {
  if (end_ || !connection_.OnHeard(stream)) return;
  if (const auto* welcome = std::get_if<engine::Welcome>(&message)) {
    if (const auto loaded = seams_.jobs.Load(*welcome); !loaded) {
      // The tasks that the coordinator leases meanwhile must not wait for this worker.
      seams_.transport.Send(engine::Goodbye{});
      return EndWith(WorkerExit::kFailed, loaded.error().message);
    }
  }
  const Instant now = seams_.clock.Now();
  NoteProgress();
  Apply(engine_.OnMessage(std::move(message), now), now);
}

std::optional<std::string> WorkerLoop::OnClosed(std::uint64_t stream, const std::string& reason) {
  const Instant now = seams_.clock.Now();
  if (end_ || !connection_.IsCurrent(stream)) return std::nullopt;
  auto line = connection_.OnClosed(reason, now);
  seams_.transport.Drop();
  engine_.OnDisconnected(now);
  if (drain_.Started()) Apply(engine_.OnDrain(now), now);  // no acknowledgement will arrive
  return line;
}

std::optional<engine::Batch> WorkerLoop::Take(std::uint32_t thread) {
  if (end_) return std::nullopt;
  auto batch = engine_.Take(thread, seams_.clock.Now());
  if (batch) NoteHeldTasks();
  return batch;
}

void WorkerLoop::OnBatchDone(std::uint32_t thread, engine::BatchOutcome outcome) {
  const Instant now = seams_.clock.Now();
  Apply(engine_.OnBatchDone(thread, std::move(outcome), now), now);
}

void WorkerLoop::Drain() { StartDrain(seams_.clock.Now()); }

void WorkerLoop::StartDrain(Instant now) {
  if (end_ || !drain_.Start(now, drain_grace_)) return;
  Apply(engine_.OnDrain(now), now);
}

void WorkerLoop::ContinueDrain(Instant now) {
  switch (drain_.OnTimer(now)) {
    case DrainDeadline::Due::kNothing:
      return;
    case DrainDeadline::Due::kStopTasks:
      for (std::uint32_t i = 0; i < thread_count_; ++i) seams_.threads.Stop(i);
      return;
    case DrainDeadline::Due::kEnd:
      EndWith(WorkerExit::kDone, "told to stop; the last results were not acknowledged");
  }
}

void WorkerLoop::Apply(engine::Worker::Effects effects, Instant now) {
  bool leave = false;
  for (auto& effect : effects) {
    if (auto* send = std::get_if<engine::Worker::SendToCoordinator>(&effect)) {
      seams_.transport.Send(std::move(send->message));
    } else if (const auto* stop = std::get_if<engine::Worker::StopBatch>(&effect)) {
      seams_.threads.Stop(stop->thread);
    } else if (const auto* cut = std::get_if<engine::Worker::CutBatch>(&effect)) {
      Apply(engine_.OnBatchCut(cut->thread, seams_.threads.Cut(cut->thread, cut->max_tasks, now),
                               now),
            now);
    } else if (std::holds_alternative<engine::Worker::WorkAvailable>(effect)) {
      seams_.threads.Wake();
    } else if (auto* end = std::get_if<engine::Worker::End>(&effect)) {
      EndWith(end->refused ? WorkerExit::kRefused : WorkerExit::kDone, std::move(end->reason));
    } else if (auto* unable = std::get_if<engine::Worker::Unable>(&effect)) {
      leave_reason_ = std::move(unable->reason) + "; the worker leaves, its tasks go to others";
      leave = true;
    }
  }
  if (leave) StartDrain(now);
  NoteHeldTasks();
}

void WorkerLoop::NoteHeldTasks() {
  const std::int64_t waiting = end_ ? 0 : seams_.jobs.TasksAhead();
  if (waiting == 0 && held_.empty()) return;
  std::vector<engine::HeldTask> tasks;
  if (waiting > 0) tasks = engine_.HeldTasks(waiting);
  if (tasks == held_) return;
  held_ = std::move(tasks);
  seams_.jobs.FetchAhead(held_);
}

void WorkerLoop::EndWith(WorkerExit exit, std::string reason) {
  if (end_) return;
  if (exit == WorkerExit::kDone && !leave_reason_.empty()) {
    exit = WorkerExit::kFailed;
    reason = leave_reason_;
  }
  end_ = WorkerEnd{exit, std::move(reason)};
}

}  // namespace evenkeel::worker
