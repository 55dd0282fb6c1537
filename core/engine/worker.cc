#include "core/engine/worker.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/base/check.h"
#include "core/model/range_set.h"

namespace evenkeel::engine {

using model::IndexRange;

namespace {

// A worker with nothing to report sends so many heartbeats per lease.
constexpr int kHeartbeatsPerLease = 4;
// Weight of the latest batch in the recent mean time of a task.
constexpr double kRecent = 0.25;
// The start of a task in a batch is known to within the time after which batches are cut: one task
// at a time where that is much of the time limit of a task.
constexpr int kBatchesPerTimeout = 16;
// A larger report takes time on a slow link, so it does not measure the round trip.
constexpr std::size_t kMaxEchoingBytes = 64 * 1024;
// More tasks than any job has; their number can be doubled without overflow.
constexpr std::int64_t kMaxQueuedTasks = std::int64_t{1} << 60;

std::string Format(Duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g s", ToSeconds(time));
  return text;
}

}  // namespace

Worker::Worker(WorkerConfig config) : config_(std::move(config)), slots_(config_.threads) {}

Hello Worker::OnConnected(Instant now) {
  connected_ = true;
  last_report_ = now;
  stamp_ = {};
  lease_.OnHelloSent(now);
  outbox_.ReportAgain();
  Hello hello;
  hello.node = config_.node;
  hello.incarnation = config_.incarnation;
  hello.threads = config_.threads;
  hello.workload = config_.workload;
  hello.workload_version = config_.workload_version;
  hello.epoch = epoch_;
  hello.epoch_tag = welcome_ ? welcome_->epoch_tag : std::string();
  hello.token = config_.token;
  hello.ratio = config_.ratio;
  hello.boot_id = config_.boot_id;
  hello.task_memory_bytes = config_.task_memory_bytes;
  hello.held.assign(queue_.Grants().begin(), queue_.Grants().end());
  for (const Slot& slot : slots_) {
    if (slot.busy) hello.held.push_back({slot.grant, slot.batch.range, slot.batch.copy, 0, {}});
  }
  model::RangeSet results;
  for (const ResultOutbox::Row& row : outbox_.Unreported()) results.Insert(row.completed.range);
  results.ForEach([&hello](IndexRange range) { hello.held.push_back({{}, range, false, 0, {}}); });
  // The coordinator leases the omitted tasks to others; the first result of a task counts.
  if (hello.held.size() > kMaxHeldGrants) hello.held.resize(kMaxHeldGrants);
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
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].busy) effects.emplace_back(StopBatch{i});
    }
    effects.emplace_back(End{finish->reason, false});
    return effects;
  }
  NoteStamp(message, now);
  if (const auto* welcome = std::get_if<Welcome>(&message)) Accept(*welcome, effects);
  if (auto* assign = std::get_if<Assign>(&message)) Accept(std::move(*assign), effects);
  if (const auto* recall = std::get_if<Recall>(&message)) Accept(*recall, now, effects);
  if (const auto* acknowledged = std::get_if<Acknowledge>(&message)) Accept(*acknowledged, effects);
  if (const auto* cancel = std::get_if<Cancel>(&message)) Accept(*cancel, effects);
  // The round trip is measured at once: it decides how much the worker is leased ahead of need.
  if (std::holds_alternative<Welcome>(message) && stamp_ != ClockStamp{}) SendReports(now, effects);
  ReportIfDue(now, effects);
  EndIfDrained(now, effects);
  return effects;
}

void Worker::Accept(const Welcome& welcome, Effects& effects) {
  if (welcome_ && welcome.epoch != epoch_) {
    // A coordinator that was restarted knows none of these grants; results are still good.
    static_cast<void>(queue_.TakeAll());
    outbox_.ForgetGrants();
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i].busy) continue;
      slots_[i].outdated = true;
      if (!welcome.idempotent) Stop(i, effects);  // it will be leased to another worker
    }
  }
  welcome_ = welcome;
  epoch_ = welcome.epoch;
  lease_.OnWelcome(welcome.idempotent, welcome.lease);
  effects.emplace_back(WorkAvailable{});
}

void Worker::Accept(Assign assign, Effects& effects) {
  std::vector<Grant> refused;
  for (Grant& grant : assign.grants) {
    if (grant.range.Size() > kMaxQueuedTasks - queue_.Tasks()) {
      grant.inputs = {};
      refused.push_back(std::move(grant));
    } else {
      queue_.Add(std::move(grant));
    }
  }
  if (!refused.empty()) {
    effects.emplace_back(SendToCoordinator{GiveBack{{}, std::move(refused)}});
  }
  window_tasks_ = queue_.Tasks();
  effects.emplace_back(WorkAvailable{});
}

void Worker::Accept(const Recall& recall, Instant now, Effects& effects) {
  GiveBack answer{recall.id, queue_.TakeLast(recall.max_tasks, recall.failed_before),
                  TakeEcho(now)};
  std::int64_t missing = recall.max_tasks;
  for (const Grant& part : answer.parts) missing -= part.range.Size();
  const auto longest = missing > 0 ? LongestRun() : std::nullopt;
  if (longest) {
    slots_[*longest].recalled = std::move(answer);
    effects.emplace_back(CutBatch{*longest, missing});
  } else {
    effects.emplace_back(SendToCoordinator{std::move(answer)});
  }
}

void Worker::NoteProgress(std::uint32_t thread, model::TaskIndex next) {
  Slot& slot = slots_[thread];
  if (!slot.busy || next <= slot.next) return;
  slot.next = std::min(next, slot.batch.range.end);
  progressed_ = true;
}

std::optional<std::uint32_t> Worker::LongestRun() const {
  std::optional<std::uint32_t> longest;
  std::int64_t most = 0;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    const bool may_be_cut = slot.busy && slot.batch.as_one_run && !slot.stopped && !slot.outdated &&
                            !slot.recalled && !slot.batch.copy && slot.batch.attempt == 0 &&
                            slot.next > slot.batch.range.begin;
    const std::int64_t tasks = slot.batch.range.end - slot.next - 1;  // one has begun
    if (!may_be_cut || tasks <= most) continue;
    most = tasks;
    longest = i;
  }
  return longest;
}

void Worker::NoteStamp(const ToWorker& message, Instant now) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { kind.stamp; }) {
          if (kind.stamp == ClockStamp{}) return;  // of a coordinator of an earlier version
          stamp_ = kind.stamp;
          stamp_received_ = now;
        }
      },
      message);
}

StampEcho Worker::TakeEcho(Instant now) {
  const ClockStamp stamp = std::exchange(stamp_, {});
  return stamp == ClockStamp{} ? StampEcho{} : StampEcho{stamp, now - stamp_received_};
}

void Worker::Accept(const Acknowledge& acknowledged, Effects& effects) {
  const bool was_full = ResultsFull();
  for (const IndexRange range : acknowledged.ranges) outbox_.OnAcknowledged(range);
  if (acknowledged.heard > 0) {
    lease_.OnReportsHeard(acknowledged.heard);
    if (welcome_ && !welcome_->idempotent && !queue_.Empty()) effects.emplace_back(WorkAvailable{});
  }
  if (was_full && !ResultsFull()) effects.emplace_back(WorkAvailable{});
}

void Worker::Accept(const Cancel& cancel, Effects& effects) {
  model::RangeSet cancelled;
  for (const IndexRange range : cancel.ranges) cancelled.Insert(range);
  queue_.Remove(cancelled, cancel.last);
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (!slot.busy || IsLater(slot.grant, cancel.last)) continue;
    for (const IndexRange part : cancelled.Within(slot.batch.range)) slot.cancelled.Insert(part);
    if (slot.cancelled.Contains(slot.batch.range)) Stop(i, effects);
  }
}

std::optional<Batch> Worker::Take(std::uint32_t thread, Instant now) {
  Slot& slot = slots_[thread];
  EVENKEEL_CHECK(!slot.busy, "a thread takes a second batch");
  if (ended_ || draining_ || ResultsFull() || !welcome_ || queue_.Empty()) return std::nullopt;
  if (lease_.IsOver(now)) return std::nullopt;
  const bool as_one_run = RunsWholeGrants();
  Grant grant = queue_.TakeFirst(as_one_run ? kMaxQueuedTasks : BatchTasks());
  slot = Slot{};
  slot.batch = {grant.range, grant.copy, grant.attempt, std::move(grant.inputs), as_one_run};
  slot.grant = grant.id;
  slot.next = grant.range.begin;
  slot.started = slot.task_started = now;
  slot.busy = true;
  return slot.batch;
}

std::vector<HeldTask> Worker::HeldTasks(std::int64_t waiting) const {
  std::vector<HeldTask> held;
  const auto add = [&held](IndexRange range, const model::TaskInputs& inputs, bool waits) {
    for (auto index = range.begin; index < range.end && held.size() < kMaxHeldTasks; ++index) {
      held.push_back({index, std::string(inputs.Of(index)), waits});
    }
  };
  for (const Slot& slot : slots_) {
    if (slot.busy && !slot.stopped) add(slot.batch.range, slot.batch.inputs, false);
  }
  for (const Grant& grant : queue_.Grants()) {
    if (waiting <= 0 || held.size() >= kMaxHeldTasks) break;
    const IndexRange first{grant.range.begin,
                           grant.range.begin + std::min(waiting, grant.range.Size())};
    add(first, grant.inputs, true);
    waiting -= first.Size();
  }
  return held;
}

std::int64_t Worker::BatchTasks() const {
  if (task_seconds_ <= 0 || welcome_->task_timeout < kBatchesPerTimeout * config_.batch) return 1;
  const double fits = ToSeconds(config_.batch) / task_seconds_;
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::min(fits, 1e6)), 1);
}

Worker::Effects Worker::OnBatchDone(std::uint32_t thread, BatchOutcome outcome, Instant now) {
  Effects effects;
  const Slot slot = std::exchange(slots_[thread], Slot{});
  EVENKEEL_CHECK(slot.busy, "a batch ended that was never taken");
  const model::TaskIndex next = slot.batch.range.begin + outcome.results.Count();
  EVENKEEL_CHECK(next <= slot.batch.range.end, "a task was run after its batch was cut");
  const bool unable = !outcome.unable.empty();
  if (slot.timed_out && !outcome.failure && !unable && next < slot.batch.range.end) {
    outcome.failure = model::TaskFailure{"took longer than " + Format(welcome_->task_timeout),
                                         {},
                                         std::move(outcome.stopped_record),
                                         {}};
    outcome.failure_busy = now - outcome.ended;
  }
  const bool failed = outcome.failure.has_value();
  const bool is_range = slot.batch.as_one_run && slot.batch.range.Size() > 1;
  const bool to_be_split = failed && is_range && (!slot.stopped || slot.timed_out);
  if (to_be_split) {
    PutBackParts(slot, next, effects);
  } else if (failed && !is_range) {
    outbox_.AddFailure({next, std::move(outcome.failure->reason), outcome.failure_busy,
                        slot.outdated ? GrantId{} : slot.grant, outcome.failure->exit_code,
                        std::move(outcome.failure->record), outcome.failure->cause,
                        outcome.failure->ran});
  }
  if (!to_be_split) ReturnRest(slot, next + (failed && !is_range ? 1 : 0), effects);
  // A task that was stopped does not show whether others can run.
  const bool cancelled = slot.stopped && !slot.timed_out;
  if (unable && !cancelled && !draining_) effects.emplace_back(Unable{std::move(outcome.unable)});
  KeepResults(slot, std::move(outcome));
  ReportIfDue(now, effects);
  EndIfDrained(now, effects);
  return effects;
}

void Worker::KeepResults(const Slot& slot, BatchOutcome outcome) {
  const std::int64_t tasks = outcome.results.Count();
  if (tasks == 0) return;
  const double each = ToSeconds(outcome.busy) / static_cast<double>(tasks);
  task_seconds_ = task_seconds_ <= 0 ? each : task_seconds_ + kRecent * (each - task_seconds_);
  outbox_.Add({outcome.started,
               outcome.ended,
               {{slot.batch.range.begin, slot.batch.range.begin + tasks},
                {},
                {},
                outcome.busy,
                slot.batch.copy,
                std::move(outcome.results),
                outcome.waited,
                outcome.transfer}});
}

void Worker::ReturnRest(const Slot& slot, model::TaskIndex next, Effects& effects) {
  Grant rest{slot.grant,
             {next, slot.batch.range.end},
             slot.batch.copy,
             slot.batch.attempt,
             slot.batch.inputs};
  if (rest.range.Empty() || slot.outdated) return;
  if (slot.lease_over) {  // without a connection the next Hello says that it is not held here
    if (connected_) effects.emplace_back(SendToCoordinator{GiveBack{{}, {std::move(rest)}}});
    return;
  }
  const bool cancelled = slot.stopped && !slot.timed_out;
  if (cancelled) return;
  queue_.PutBack(std::move(rest));
  effects.emplace_back(WorkAvailable{});
}

void Worker::PutBackParts(const Slot& slot, model::TaskIndex next, Effects& effects) {
  if (slot.outdated) return;
  const IndexRange range{next, slot.batch.range.end};
  const bool any_done = next > slot.batch.range.begin;
  const model::TaskIndex middle = range.begin + (any_done ? 1 : range.Size() / 2);
  for (const IndexRange half : {IndexRange{middle, range.end}, IndexRange{range.begin, middle}}) {
    const auto parts = slot.cancelled.Missing(half);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      queue_.PutBack({slot.grant, *part, slot.batch.copy, slot.batch.attempt, slot.batch.inputs});
    }
  }
  effects.emplace_back(WorkAvailable{});
}

bool Worker::ResultsFull() const { return outbox_.KeptBytes() > config_.max_unacknowledged_bytes; }

void Worker::Stop(std::uint32_t thread, Effects& effects) {
  if (slots_[thread].stopped) return;
  slots_[thread].stopped = true;
  effects.emplace_back(StopBatch{thread});
}

bool Worker::CanBeCut(const Slot& slot) {
  return slot.busy && !slot.stopped && !slot.cut && slot.batch.range.Size() > 1 &&
         !slot.batch.as_one_run;
}

Duration Worker::TimeLimit(const Slot& slot) const {
  const Duration each = welcome_->task_timeout;
  const std::int64_t tasks = slot.batch.as_one_run ? slot.batch.range.Size() : 1;
  return tasks > 1 && each > Duration::max() / 2 / tasks ? Duration::max() / 2 : each * tasks;
}

// The size of a batch is a guess from earlier tasks. Where it was wrong, the tasks behind a long
// one must not wait for it.
void Worker::CutLongBatches(Instant now, Effects& effects) {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (!CanBeCut(slot) || now - slot.started < config_.cut_after) continue;
    slot.cut = true;
    effects.emplace_back(CutBatch{i, slot.batch.range.Size()});
  }
}

Worker::Effects Worker::OnBatchCut(std::uint32_t thread, IndexRange unstarted, Instant now) {
  Effects effects;
  Slot& slot = slots_[thread];
  IndexRange& range = slot.batch.range;
  EVENKEEL_CHECK(slot.busy && unstarted.end == range.end && unstarted.begin >= range.begin,
                 "a batch was cut that does not run");
  if (slot.recalled) {
    range.end = unstarted.begin;
    GiveBack answer = *std::exchange(slot.recalled, std::nullopt);
    if (!unstarted.Empty()) answer.parts.push_back({slot.grant, unstarted, false, 0, {}});
    effects.emplace_back(SendToCoordinator{std::move(answer)});
    return effects;
  }
  slot.task_started = now;
  range.end = unstarted.begin;
  const auto started = static_cast<double>(std::max<std::int64_t>(range.Size(), 1));
  task_seconds_ = std::max(task_seconds_, ToSeconds(now - slot.started) / started);
  if (ended_ || slot.outdated || unstarted.Empty()) return effects;
  queue_.PutBack({slot.grant, unstarted, slot.batch.copy, slot.batch.attempt, slot.batch.inputs});
  effects.emplace_back(WorkAvailable{});
  return effects;
}

// A batch of several tasks is cut first: then the task that runs is known, and since when at most.
void Worker::StopTimedOut(Instant now, Effects& effects) {
  if (!welcome_) return;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (!slot.busy || slot.stopped || slot.batch.range.Empty()) continue;
    if (CanBeCut(slot) || now - slot.task_started < TimeLimit(slot)) continue;
    slot.timed_out = true;
    Stop(i, effects);
  }
}

// The coordinator may have received more reports than it acknowledged, so it needs a list of the
// tasks that are dropped.
void Worker::StopWithoutLease(Instant now, Effects& effects) {
  if (!lease_.IsOver(now)) return;
  const bool had_tasks = !queue_.Empty();
  std::vector<Grant> dropped = queue_.TakeAll();
  if (connected_ && had_tasks) {
    effects.emplace_back(SendToCoordinator{GiveBack{{}, std::move(dropped)}});
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].busy || slots_[i].stopped) continue;
    slots_[i].lease_over = true;
    Stop(i, effects);
  }
}

void Worker::ReportIfDue(Instant now, Effects& effects) {
  if (!connected_ || !welcome_ || ended_) return;
  if (progressed_ && now - last_report_ >= welcome_->report_interval)
    return SendReports(now, effects);
  if (!outbox_.HasUnreported()) return;
  if (NeedsTasks() || outbox_.UnreportedBytes() >= ResultOutbox::kReportBytes ||
      outbox_.HasFailures() || now - last_report_ >= welcome_->report_interval) {
    SendReports(now, effects);
  }
}

// True if half of the window is used up since it was last reported, or if no more waits than a task
// for each thread: a report is the request for more.
bool Worker::NeedsTasks() const {
  return 2 * queue_.Tasks() <= window_tasks_ ||
         queue_.Tasks() <= static_cast<std::int64_t>(slots_.size());
}

void Worker::SendReports(Instant now, Effects& effects) {
  last_report_ = now;
  progressed_ = false;
  window_tasks_ = queue_.Tasks();
  bool echoes = outbox_.UnreportedBytes() <= kMaxEchoingBytes;
  for (Report& report : outbox_.TakeReports(now)) {
    report.draining = draining_;
    if (std::exchange(echoes, false)) {
      report.echo = TakeEcho(now);
      report.running = LongRunning(now);
    }
    lease_.OnReportSent(now);  // the coordinator counts messages
    effects.emplace_back(SendToCoordinator{std::move(report)});
  }
}

std::vector<RunningTask> Worker::LongRunning(Instant now) const {
  std::vector<RunningTask> running;
  for (const Slot& slot : slots_) {
    if (slot.busy && !slot.stopped && slot.next > slot.batch.range.begin &&
        slot.next < slot.batch.range.end) {
      running.push_back({slot.next, now - slot.started});
      continue;
    }
    if (!slot.busy || slot.stopped || slot.batch.range.Size() != 1) continue;
    const Duration elapsed = now - slot.task_started;
    if (elapsed >= welcome_->report_interval / 2) {
      running.push_back({slot.batch.range.begin, elapsed});
    }
  }
  return running;
}

Worker::Effects Worker::OnTimer(Instant now) {
  Effects effects;
  if (ended_) return effects;
  progress_noted_ = now;
  StopTimedOut(now, effects);
  StopWithoutLease(now, effects);
  CutLongBatches(now, effects);
  ReportIfDue(now, effects);
  if (connected_ && welcome_ && now - last_report_ >= welcome_->lease / kHeartbeatsPerLease) {
    SendReports(now, effects);
  }
  return effects;
}

Instant Worker::NextTimer() const {
  if (ended_ || !welcome_) return kNever;
  Instant next = kNever;
  if (connected_) {
    next = last_report_ + welcome_->lease / kHeartbeatsPerLease;
    if (outbox_.HasUnreported()) next = std::min(next, last_report_ + welcome_->report_interval);
    const bool runs =
        std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.busy; });
    if (runs && RunsWholeGrants()) {
      next = std::min(next, progress_noted_ + welcome_->report_interval);
    }
  }
  bool could_stop = !queue_.Empty();  // what is stopped already needs no timer
  for (const Slot& slot : slots_) {
    if (!slot.busy || slot.stopped) continue;
    could_stop = true;
    if (slot.batch.range.Empty()) continue;  // cut before its first task
    next = std::min(next, CanBeCut(slot) ? slot.started + config_.cut_after
                                         : slot.task_started + TimeLimit(slot));
  }
  if (could_stop) next = std::min(next, lease_.End());
  return next;
}

Worker::Effects Worker::OnDrain(Instant now) {
  Effects effects;
  const bool first = !std::exchange(draining_, true);
  // If this process is killed before its tasks end, they must not be blamed.
  if (first && !ended_ && connected_ && welcome_) SendReports(now, effects);
  EndIfDrained(now, effects);
  return effects;
}

// Goodbye gives back what is queued; it waits for the running tasks and for their acknowledgement.
void Worker::EndIfDrained(Instant now, Effects& effects) {
  if (!draining_ || ended_) return;
  const bool runs = std::any_of(slots_.begin(), slots_.end(), [](const Slot& s) { return s.busy; });
  if (runs) return;
  if (connected_ && welcome_ && outbox_.HasUnreported()) SendReports(now, effects);
  if (connected_ && outbox_.HasUnacknowledged()) return;
  if (connected_) effects.emplace_back(SendToCoordinator{Goodbye{}});
  ended_ = true;
  effects.emplace_back(End{"told to stop", false});
}

}  // namespace evenkeel::engine
