#include "core/engine/worker.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::engine {

using model::IndexRange;

namespace {

// A silent worker says that it lives so many times a lease.
constexpr int kHeartbeatsPerLease = 4;

// What an entry of a report takes beside its results, about.
constexpr std::size_t kEntryBytes = 64;

std::size_t WaitingBytes(const model::PackedResults& results) { return results.Bytes().size(); }

}  // namespace

Worker::Worker(WorkerConfig config) : config_(std::move(config)), running_(config_.threads) {}

Hello Worker::OnConnected(Instant now) {
  connected_ = true;
  connected_at_ = now;
  report_times_.clear();
  last_report_ = now;
  Hello hello;
  hello.node = config_.node;
  hello.incarnation = config_.incarnation;
  hello.threads = config_.threads;
  hello.workload = config_.workload;
  hello.workload_version = config_.workload_version;
  hello.epoch = epoch_;
  hello.token = config_.token;
  hello.ratio = config_.ratio;
  hello.held.assign(queue_.begin(), queue_.end());
  for (const Running& running : running_) {
    if (running.busy)
      hello.held.push_back({running.grant, running.batch.range, running.batch.copy, 0, {}});
  }
  for (const Finished& item : finished_) {
    hello.held.push_back({{}, item.done.range, item.done.copy, 0, {}});
  }
  // What was reported and never acknowledged is said again.
  for (auto it = unacknowledged_.rbegin(); it != unacknowledged_.rend(); ++it) {
    hello.held.push_back({{}, it->done.range, it->done.copy, 0, {}});
    finished_.insert(finished_.begin(), std::move(*it));
  }
  unacknowledged_.clear();
  return hello;
}

void Worker::OnDisconnected(Instant) { connected_ = false; }

Worker::Effects Worker::OnMessage(ToWorker message, Instant now) {
  Effects effects;
  if (ended_) return effects;
  if (const auto* refusal = std::get_if<Refusal>(&message)) {
    ended_ = true;
    effects.emplace_back(End{refusal->reason, true});
    return effects;
  }
  if (const auto* finish = std::get_if<Finish>(&message)) {
    ended_ = true;
    for (std::uint32_t i = 0; i < running_.size(); ++i) {
      if (running_[i].busy) effects.emplace_back(StopBatch{i});
    }
    effects.emplace_back(End{finish->reason, false});
    return effects;
  }
  if (const auto* welcome = std::get_if<Welcome>(&message)) Accept(*welcome, effects);
  if (const auto* assign = std::get_if<Assign>(&message)) Accept(*assign, effects);
  if (const auto* recall = std::get_if<Recall>(&message)) Accept(*recall, effects);
  if (const auto* acknowledged = std::get_if<Acknowledge>(&message)) Accept(*acknowledged, effects);
  if (const auto* cancel = std::get_if<Cancel>(&message)) Accept(*cancel, effects);
  ReportIfDue(now, effects);
  EndIfDrained(now, effects);
  return effects;
}

void Worker::Accept(const Welcome& welcome, Effects& effects) {
  if (welcome_ && welcome.epoch != epoch_) {
    // A coordinator that started anew knows nothing of these grants; results are still good.
    queue_.clear();
    for (FailedTask& failed : failed_) failed.grant = GrantId{};
    for (std::uint32_t i = 0; i < running_.size(); ++i) {
      if (!running_[i].busy) continue;
      running_[i].outdated = true;
      if (!welcome.idempotent) Stop(i, effects);  // it will be leased to somebody else
    }
  }
  welcome_ = welcome;
  epoch_ = welcome.epoch;
  renewed_ = std::max(renewed_, connected_at_);  // the Hello was heard, no later word for certain
  effects.emplace_back(WorkAvailable{});
}

void Worker::Accept(const Assign& assign, Effects& effects) {
  for (const Grant& grant : assign.grants) {
    // What failed before is late already, and nobody else may take it over any more.
    queue_.insert(grant.attempt > 0 ? queue_.begin() : queue_.end(), grant);
  }
  window_tasks_ = QueuedTasks();
  effects.emplace_back(WorkAvailable{});
}

void Worker::Accept(const Recall& recall, Effects& effects) {
  GiveBack answer{recall.id, {}};
  std::int64_t left = recall.max_tasks;
  for (auto it = queue_.end(); it != queue_.begin() && left > 0;) {
    --it;
    if (it->copy || (it->attempt > 0 && !recall.failed_before)) continue;
    const std::int64_t part = std::min(left, it->range.Size());
    answer.parts.push_back({it->id, {it->range.end - part, it->range.end}, false, 0, {}});
    it->range.end -= part;
    left -= part;
    if (it->range.Empty()) it = queue_.erase(it);
  }
  effects.emplace_back(SendToCoordinator{std::move(answer)});
}

void Worker::Accept(const Acknowledge& acknowledged, Effects& effects) {
  const bool was_full = Full();
  for (const IndexRange range : acknowledged.ranges) {
    const auto it = std::find_if(unacknowledged_.begin(), unacknowledged_.end(),
                                 [&](const Finished& item) { return item.done.range == range; });
    if (it == unacknowledged_.end()) continue;
    unacknowledged_bytes_ -= static_cast<std::int64_t>(WaitingBytes(it->done.results));
    unacknowledged_.erase(it);
  }
  if (acknowledged.heard > 0 && acknowledged.heard <= report_times_.size()) {
    renewed_ = std::max(renewed_, report_times_[static_cast<std::size_t>(acknowledged.heard - 1)]);
    if (welcome_ && !welcome_->idempotent && !queue_.empty()) effects.emplace_back(WorkAvailable{});
  }
  if (was_full && !Full()) effects.emplace_back(WorkAvailable{});
}

void Worker::Accept(const Cancel& cancel, Effects& effects) {
  model::RangeSet cancelled;
  for (const IndexRange range : cancel.ranges) cancelled.Insert(range);
  std::deque<Grant> kept;
  for (const Grant& grant : queue_) {
    for (const IndexRange part : cancelled.Missing(grant.range)) {
      kept.push_back({grant.id, part, grant.copy, grant.attempt, grant.inputs});
    }
  }
  queue_ = std::move(kept);
  for (std::uint32_t i = 0; i < running_.size(); ++i) {
    const Running& running = running_[i];
    if (running.busy && cancelled.Contains(running.batch.range)) Stop(i, effects);
  }
}

void Worker::ReportIfDue(Instant now, Effects& effects) {
  if (!connected_ || !welcome_ || ended_ || (finished_.empty() && failed_.empty())) return;
  std::size_t bytes = 0;
  for (const Finished& item : finished_) bytes += WaitingBytes(item.done.results);
  if (HalfDry() || bytes >= kReportBytes || !failed_.empty() ||
      now - last_report_ >= welcome_->report_interval) {
    SendReport(now, effects);
  }
}

// True if half of the window is eaten since it was last spoken of, or if no more waits than a task
// for each thread: a report is the request for more.
bool Worker::HalfDry() const {
  const std::int64_t tasks = QueuedTasks();
  return 2 * tasks <= window_tasks_ || tasks <= static_cast<std::int64_t>(running_.size());
}

std::int64_t Worker::QueuedTasks() const {
  std::int64_t tasks = 0;
  for (const Grant& grant : queue_) tasks += grant.range.Size();
  return tasks;
}

void Worker::SendReport(Instant now, Effects& effects) {
  Report report;
  std::size_t bytes = 0;
  JoinFinished();
  for (Finished& item : finished_) {
    const std::size_t more = WaitingBytes(item.done.results) + kEntryBytes;
    if (bytes > 0 && bytes + more > kReportBytes) {
      SendOne(std::exchange(report, {}), now, effects);
      bytes = 0;
    }
    bytes += more;
    item.done.started_ago = now - item.started;
    item.done.ended_ago = now - item.ended;
    report.completed.push_back(item.done);
    unacknowledged_.push_back(std::move(item));
  }
  finished_.clear();
  for (FailedTask& failed : failed_) {
    const std::size_t more = failed.reason.size() + failed.record.size() + kEntryBytes;
    if (bytes > 0 && bytes + more > kReportBytes) {
      SendOne(std::exchange(report, {}), now, effects);
      bytes = 0;
    }
    bytes += more;
    report.failed.push_back(std::move(failed));
  }
  failed_.clear();
  failed_bytes_ = 0;
  SendOne(std::move(report), now, effects);
}

// What the coordinator hears is counted by message, so each one counts here, too.
void Worker::SendOne(Report report, Instant now, Effects& effects) {
  last_report_ = now;
  window_tasks_ = QueuedTasks();
  if (!welcome_->idempotent) report_times_.push_back(now);
  effects.emplace_back(SendToCoordinator{std::move(report)});
}

Worker::Effects Worker::OnTimer(Instant now) {
  Effects effects;
  if (ended_) return effects;
  StopTimedOut(now, effects);
  StopWithoutLease(now, effects);
  ReportIfDue(now, effects);
  if (connected_ && welcome_ && now - last_report_ >= welcome_->lease / kHeartbeatsPerLease) {
    SendReport(now, effects);
  }
  return effects;
}

Instant Worker::NextTimer() const {
  if (ended_ || !welcome_) return kNever;
  Instant next = kNever;
  if (connected_) {
    next = last_report_ + welcome_->lease / kHeartbeatsPerLease;
    if (!finished_.empty()) next = std::min(next, last_report_ + welcome_->report_interval);
  }
  bool could_stop = !queue_.empty();  // what is stopped already needs no timer
  for (const Running& running : running_) {
    if (!running.busy || running.stopped) continue;
    could_stop = true;
    next = std::min(next, running.started + welcome_->task_timeout);
  }
  if (!welcome_->idempotent && could_stop) next = std::min(next, LeaseEnd());
  return next;
}

Worker::Effects Worker::OnDrain(Instant now) {
  Effects effects;
  draining_ = true;
  EndIfDrained(now, effects);
  return effects;
}

// Goodbye gives back what is queued; it waits for the running tasks and for their acknowledgement.
void Worker::EndIfDrained(Instant now, Effects& effects) {
  if (!draining_ || ended_) return;
  const bool runs =
      std::any_of(running_.begin(), running_.end(), [](const Running& r) { return r.busy; });
  if (runs) return;
  if (connected_ && welcome_ && (!finished_.empty() || !failed_.empty())) SendReport(now, effects);
  if (connected_ && !unacknowledged_.empty()) return;
  if (connected_) effects.emplace_back(SendToCoordinator{Goodbye{}});
  ended_ = true;
  effects.emplace_back(End{"told to stop", false});
}

}  // namespace evenkeel::engine
