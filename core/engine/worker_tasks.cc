// Worker: what its threads run, and when they have to stop.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/base/check.h"
#include "core/engine/worker.h"

namespace evenkeel::engine {

using model::IndexRange;

namespace {

// Weight of the latest batch in the recent mean time of a task.
constexpr double kRecent = 0.25;
// A batch lasts up to three times as long as it should: one task at a time where that would show in
// what is left of a task's time limit.
constexpr int kBatchesPerTimeout = 16;
// Batches that follow each other within this time are one row of the timeline.
constexpr Duration kSameRow = std::chrono::milliseconds(1);

std::string Shown(Duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g s", ToSeconds(time));
  return text;
}

}  // namespace

std::optional<Batch> Worker::Take(std::uint32_t thread, Instant now) {
  Running& running = running_[thread];
  EVENKEEL_CHECK(!running.busy, "a thread takes a second batch");
  if (ended_ || draining_ || Full() || !welcome_ || queue_.empty()) return std::nullopt;
  if (LeaseIsOver(now)) return std::nullopt;
  Grant& front = queue_.front();
  const std::int64_t tasks = std::min(BatchTasks(), front.range.Size());
  running = Running{};
  running.batch = {
      {front.range.begin, front.range.begin + tasks}, front.copy, front.attempt, front.inputs};
  running.grant = front.id;
  running.started = now;
  running.busy = true;
  front.range.begin += tasks;
  if (front.range.Empty()) queue_.pop_front();
  return running.batch;
}

std::int64_t Worker::BatchTasks() const {
  if (task_seconds_ <= 0 || welcome_->task_timeout < kBatchesPerTimeout * config_.batch) return 1;
  const double fits = ToSeconds(config_.batch) / task_seconds_;
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::min(fits, 1e6)), 1);
}

Worker::Effects Worker::OnBatchDone(std::uint32_t thread, BatchOutcome outcome, Instant now) {
  Effects effects;
  const Running running = std::exchange(running_[thread], Running{});
  EVENKEEL_CHECK(running.busy, "a batch ended that was never taken");
  const model::TaskIndex next = running.batch.range.begin + outcome.results.Count();
  if (running.timed_out && !outcome.failure && next < running.batch.range.end) {
    outcome.failure = model::TaskFailure{
        "took longer than " + Shown(welcome_->task_timeout), {}, std::move(outcome.stopped_record)};
    outcome.failure_busy = now - outcome.ended;
  }
  const bool failed = outcome.failure.has_value();
  if (failed) KeepFailure(running, next, std::move(*outcome.failure), outcome.failure_busy);
  ReturnRest(running, next + (failed ? 1 : 0), effects);
  Keep(running, std::move(outcome));
  ReportIfDue(now, effects);
  EndIfDrained(now, effects);
  return effects;
}

void Worker::KeepFailure(const Running& running, model::TaskIndex index, model::TaskFailure failure,
                         Duration busy) {
  failed_bytes_ += static_cast<std::int64_t>(failure.record.size());
  failed_.push_back({index, std::move(failure.reason), busy,
                     running.outdated ? GrantId{} : running.grant, failure.exit_code,
                     std::move(failure.record)});
}

void Worker::Keep(const Running& running, BatchOutcome outcome) {
  const std::int64_t tasks = outcome.results.Count();
  if (tasks == 0) return;
  const double each = ToSeconds(outcome.busy) / static_cast<double>(tasks);
  task_seconds_ = task_seconds_ <= 0 ? each : task_seconds_ + kRecent * (each - task_seconds_);
  unacknowledged_bytes_ += static_cast<std::int64_t>(outcome.results.Bytes().size());
  const IndexRange range{running.batch.range.begin, running.batch.range.begin + tasks};
  Finished next{outcome.started,
                outcome.ended,
                {range,
                 {},
                 {},
                 outcome.busy,
                 running.batch.copy,
                 std::move(outcome.results),
                 outcome.waited}};
  if (!finished_.empty() && Continues(finished_.back(), next)) {
    Join(finished_.back(), next);
  } else {
    finished_.push_back(std::move(next));
  }
}

bool Worker::Continues(const Finished& row, const Finished& next) {
  return row.done.range.end == next.done.range.begin && row.done.copy == next.done.copy &&
         next.started - row.ended < kSameRow && row.started - next.ended < kSameRow &&
         row.done.results.Bytes().size() + next.done.results.Bytes().size() <= kReportBytes;
}

void Worker::Join(Finished& row, const Finished& next) {
  row.done.range.end = next.done.range.end;
  row.done.busy += next.done.busy;
  row.done.waited += next.done.waited;
  row.done.results.Append(next.done.results);
  row.started = std::min(row.started, next.started);
  row.ended = std::max(row.ended, next.ended);
}

// Threads take turns at the front of the queue, so that what each did alone is in small pieces.
void Worker::JoinFinished() {
  std::sort(finished_.begin(), finished_.end(), [](const Finished& one, const Finished& other) {
    return one.done.range.begin < other.done.range.begin;
  });
  std::vector<Finished> rows;
  for (Finished& item : finished_) {
    if (!rows.empty() && Continues(rows.back(), item)) {
      Join(rows.back(), item);
    } else {
      rows.push_back(std::move(item));
    }
  }
  finished_ = std::move(rows);
}

void Worker::ReturnRest(const Running& running, model::TaskIndex next, Effects& effects) {
  const Grant rest{running.grant,
                   {next, running.batch.range.end},
                   running.batch.copy,
                   running.batch.attempt,
                   running.batch.inputs};
  if (rest.range.Empty() || running.outdated) return;
  if (running.lease_over) {  // without a connection the next Hello tells that it is not held here
    if (connected_) effects.emplace_back(SendToCoordinator{GiveBack{{}, {rest}}});
    return;
  }
  const bool cancelled = running.stopped && !running.timed_out;
  if (cancelled) return;
  queue_.push_front(rest);
  effects.emplace_back(WorkAvailable{});
}

bool Worker::Full() const {
  return unacknowledged_bytes_ + failed_bytes_ > config_.max_unacknowledged_bytes;
}

void Worker::Stop(std::uint32_t thread, Effects& effects) {
  if (running_[thread].stopped) return;
  running_[thread].stopped = true;
  effects.emplace_back(StopBatch{thread});
}

void Worker::StopTimedOut(Instant now, Effects& effects) {
  if (!welcome_) return;
  for (std::uint32_t i = 0; i < running_.size(); ++i) {
    Running& running = running_[i];
    if (!running.busy || running.stopped || now - running.started < welcome_->task_timeout)
      continue;
    running.timed_out = true;
    Stop(i, effects);
  }
}

Instant Worker::LeaseEnd() const { return renewed_ + welcome_->lease; }

bool Worker::LeaseIsOver(Instant now) const {
  return welcome_ && !welcome_->idempotent && now >= LeaseEnd();
}

// The coordinator may have heard more from us than we know of: it has to be told what is dropped.
void Worker::StopWithoutLease(Instant now, Effects& effects) {
  if (!LeaseIsOver(now)) return;
  if (connected_ && !queue_.empty()) {
    effects.emplace_back(SendToCoordinator{GiveBack{{}, {queue_.begin(), queue_.end()}}});
  }
  queue_.clear();
  for (std::uint32_t i = 0; i < running_.size(); ++i) {
    if (!running_[i].busy || running_[i].stopped) continue;
    running_[i].lease_over = true;
    Stop(i, effects);
  }
}

}  // namespace evenkeel::engine
