#include "core/engine/result_intake.h"

#include <algorithm>
#include <map>
#include <utility>

namespace evenkeel::engine {

using model::IndexRange;
using model::RunKind;
using model::TaskIndex;
using scheduling::WorkerId;

namespace {

// A worker reports one running task per thread.
constexpr std::size_t kMaxRunning = 4096;
constexpr const char* kProcessDied = "the worker process died while it ran this task alone";
constexpr const char* kNodeDied = "the node restarted while it ran this task alone";
/// Begins the reasons of failures for lack of memory, also in the journal.
constexpr const char* kOutOfMemory = "OutOfMemory: ";
constexpr const char* kContainerKilled = "the command container was killed while it ran";

std::string FailJobReason(TaskIndex index, const std::string& node,
                          std::optional<std::int32_t> exit_code) {
  return "task " + std::to_string(index) + " ended with exit code " +
         std::to_string(exit_code.value_or(0)) + " on " + node +
         ": FailJob by spec.taskPolicy.onExitCodes";
}

double Fraction(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

}  // namespace

// ---- From the journal ----

void ResultIntake::RestoreCompleted(const model::RangeSet& completed) {
  CompletionPolicy::Batch durable;
  completed.ForEach([&](IndexRange range) {
    parts_.ledger.RestoreDurable(range);
    parts_.statistics.RestoreCompleted(parts_.costs.Of(range));
    durable.completed += range.Size();
    durable.wanted += parts_.completion.WantedWithin(range);
  });
  parts_.completion.AddDurable(durable);
}

void ResultIntake::RestoreFailures(const std::vector<model::FailureRecord>& failures, Instant now) {
  CompletionPolicy::Batch durable;
  for (const auto& failure : failures) {
    const bool out_of_memory = failure.reason.starts_with(kOutOfMemory);
    parts_.statistics.CountFailedAttempt(failure.index, failure.node, failure.reason,
                                         out_of_memory);
    const IndexRange one{failure.index, failure.index + 1};
    const TaskState state = parts_.ledger.StateOf(failure.index);
    if (state == TaskState::kDurable || state == TaskState::kFailed) continue;
    if (state == TaskState::kUnassigned) parts_.ledger.Withhold(one);
    const auto verdict =
        parts_.retries.CountFailure(failure.index, failure.node, failure.exit_code, out_of_memory);
    if (!failure.final) continue;
    parts_.ledger.GiveUp(one);
    parts_.retries.Forget(one);
    parts_.completion.QuoteFailure(failure.index, failure.node, failure.reason);
    ++durable.failed;
    if (verdict == RetryPolicy::Verdict::kJobFailed && durable.fails_job.empty()) {
      durable.fails_job = FailJobReason(failure.index, failure.node, failure.exit_code);
    }
  }
  parts_.completion.AddDurable(durable);
  parts_.ledger.ForEachState({0, parts_.ledger.TaskCount()},
                             [&](IndexRange range, TaskState state) {
                               if (state != TaskState::kWithheld) return;
                               for (TaskIndex i = range.begin; i < range.end; ++i) {
                                 parts_.retries.RetryLater(i, now);
                               }
                             });
}

// ---- From workers ----

bool ResultIntake::IsValid(const Report& report) const {
  const IndexRange all{0, parts_.ledger.TaskCount()};
  return std::all_of(report.completed.begin(), report.completed.end(),
                     [&](const CompletedRange& done) {
                       return !done.range.Empty() && all.Contains(done.range) &&
                              done.results.Count() == done.range.Size();
                     }) &&
         std::all_of(report.failed.begin(), report.failed.end(),
                     [&](const FailedTask& failed) { return all.Contains(failed.index); }) &&
         report.running.size() <= kMaxRunning &&
         std::all_of(report.running.begin(), report.running.end(),
                     [&](const RunningTask& running) { return all.Contains(running.index); });
}

void ResultIntake::Apply(WorkerId worker, Report report, Instant now) {
  const Member& member = parts_.membership.At(worker);
  Measure(worker, report, now);
  Commit commit;
  commit.worker = worker;
  commit.stream = *member.stream;
  if (!report.running.empty()) NoteRunning(worker, report.running, now);
  for (auto& done : report.completed) ApplyCompleted(worker, std::move(done), now, commit);
  for (auto& failed : report.failed) ApplyFailed(worker, std::move(failed), now, commit);
  JudgeLostRunners(now);
  parts_.placement.Touch(worker, now);
  const bool counts_leases = !idempotent_;  // its leases run at the worker, too
  if (!commit.results.empty() || !commit.failures.empty() || !commit.confirmations.empty()) {
    // A commit may take longer than a lease, so the worker's lease is renewed before it.
    if (counts_leases) {
      parts_.outbox.Send(commit.stream, Acknowledge{{}, member.reports_received});
    }
    parts_.commits.Add(std::move(commit));
  } else if (!commit.reported.empty() || counts_leases) {
    parts_.outbox.Send(commit.stream,
                       Acknowledge{std::move(commit.reported), member.reports_received});
  }
}

void ResultIntake::NoteRunning(WorkerId worker, const std::vector<RunningTask>& running,
                               Instant now) {
  const Duration longest = now - parts_.statistics.StartTime();
  std::vector<scheduling::RunningTask> tasks;
  for (const RunningTask& task : running) {
    tasks.push_back(
        {task.index, now - std::clamp(task.elapsed, Duration::zero(), longest), true, now});
  }
  parts_.ledger.NoteRunning(worker, std::move(tasks));
}

// A report is one measurement. Its parts are not: where a CPU quota suspends a worker, short runs
// between two suspensions look many times faster than the board is, and there are many of them.
void ResultIntake::Measure(WorkerId worker, const Report& report, Instant now) {
  std::int64_t tasks = 0;
  std::int64_t held = 0;  // of these, the worker had the data before
  model::Cost cost = 0;
  double busy_seconds = 0;
  double waited_seconds = 0;
  double index_sum = 0;
  model::DataTransfer transfer;
  for (const auto& done : report.completed) {
    tasks += done.range.Size();
    parts_.holders.Of(worker).ForEachWithin(done.range,
                                            [&](IndexRange part) { held += part.Size(); });
    index_sum += static_cast<double>(done.range.Size()) * done.range.Middle();
    // A report may list a range twice: the sum must not overflow.
    cost += std::min(parts_.costs.Of(done.range), parts_.costs.Total() - cost);
    const double busy = std::max(ToSeconds(done.busy), 0.0);
    busy_seconds += busy;
    const double waited = std::clamp(ToSeconds(done.waited), 0.0, busy);
    waited_seconds += waited;
    parts_.estimator.ObserveRange(worker, done.range, FromSeconds(busy), FromSeconds(waited));
    transfer.Add({std::max<std::int64_t>(done.transfer.bytes, 0),
                  std::max(done.transfer.time, Duration::zero())});
  }
  if (tasks > 0) {
    const double saved = static_cast<double>(held) * parts_.estimator.WaitSeconds(worker);
    parts_.estimator.Observe(worker, tasks, cost, FromSeconds(busy_seconds),
                             index_sum / static_cast<double>(tasks), FromSeconds(saved));
  }
  parts_.estimator.NoteWaiting(worker, FromSeconds(waited_seconds), tasks - held);
  parts_.estimator.NoteTransfer(worker, transfer, tasks);
  parts_.deliveries.NoteCompleted(worker, tasks, now);
  parts_.statistics.AddRun(worker, cost, busy_seconds);
}

void ResultIntake::ApplyCompleted(WorkerId worker, CompletedRange done, Instant now,
                                  Commit& commit) {
  RunStatistics& statistics = parts_.statistics;
  // A worker's clock may have stood still or jumped: no task started before the job or ends later.
  const Duration longest = now - statistics.StartTime();
  done.ended_ago = std::clamp(done.ended_ago, Duration::zero(), longest);
  done.started_ago = std::clamp(done.started_ago, done.ended_ago, longest);
  done.busy = std::max(done.busy, Duration::zero());
  const double busy_seconds = ToSeconds(done.busy);
  commit.reported.push_back(done.range);
  NodeProgress& node = statistics.Node(worker);
  node.busy_seconds += busy_seconds;
  node.data_wait_seconds += std::clamp(ToSeconds(done.waited), 0.0, busy_seconds);
  node.transfer.Add(
      {done.transfer.bytes, std::clamp(done.transfer.time, Duration::zero(), longest)});
  statistics.NoteTaskStarted(now - done.started_ago);
  parts_.deliveries.NoteStart(worker, done.range, now - done.started_ago);

  const std::int64_t checked = parts_.verification.TakeChecks(worker, done, commit);
  std::int64_t fresh = 0;
  const std::int64_t reported = done.range.Size();
  open_parts_.clear();
  parts_.ledger.CollectOpen(done.range, open_parts_);
  const Duration ended = statistics.JobTime(now - done.ended_ago);
  for (const IndexRange part : open_parts_) {
    model::ResultRecord record;
    record.node = parts_.membership.At(worker).name;
    record.started = statistics.JobTime(now - done.started_ago);
    record.ended = ended;
    AddRecords(worker, done, part, record, commit);
    fresh += part.Size();
    commit.completed.push_back(part);
    commit.batch.completed += part.Size();
    commit.batch.wanted += parts_.completion.WantedWithin(part);
    commit.ended = std::max(commit.ended, ended);
    statistics.AddCompleted(worker, part.Size(), parts_.costs.Of(part), ended);
    parts_.retries.Forget(part);
    parts_.isolation.Clear(part);
    const auto completion = parts_.ledger.Complete(part, worker);
    CancelElsewhere(completion.others);
    MeasureUnfinished(completion.others, now);
    for (const auto& other : completion.others) parts_.placement.Touch(other.worker, now);
    if (completion.from_strategy) parts_.driver.TakeAway(part);
  }
  statistics.AddWasted(busy_seconds * Fraction(reported - fresh - checked, reported));
  parts_.ledger.NoteWorked(worker, now - done.ended_ago);
  statistics.PredictShareEnd(worker, parts_.ledger.PlannedCost(worker),
                             parts_.estimator.Rate(worker), now);
}

void ResultIntake::AddRecords(WorkerId worker, CompletedRange& done, IndexRange range,
                              const model::ResultRecord& prototype, Commit& commit) {
  const double busy_seconds = ToSeconds(done.busy);
  for (TaskIndex from = range.begin; from < range.end;) {
    const auto plan = parts_.ledger.PlanOf(from);
    const IndexRange part{from, std::min(plan.until, range.end)};
    const bool stolen = plan.worker && *plan.worker != worker;
    if (stolen) {
      parts_.statistics.Node(worker).stolen_in += part.Size();
      parts_.statistics.Node(*plan.worker).stolen_out += part.Size();
    }
    model::ResultRecord record = prototype;
    record.range = part;
    record.kind = done.copy ? RunKind::kCopy : stolen ? RunKind::kStolen : RunKind::kPlanned;
    record.busy = FromSeconds(busy_seconds * Fraction(part.Size(), done.range.Size()));
    record.results = part == done.range ? std::move(done.results)
                                        : done.results.Slice(part.begin - done.range.begin,
                                                             part.end - done.range.begin);
    parts_.verification.NoteResults(record.node, part, record.results);
    commit.results.push_back(std::move(record));
    from = part.end;
  }
}

void ResultIntake::MeasureUnfinished(const std::vector<TaskLedger::Holding>& others, Instant now) {
  for (const auto& holding : others) {
    if (holding.range.Size() != 1) continue;
    const auto threads = static_cast<std::int64_t>(parts_.estimator.Threads(holding.worker));
    const auto started = parts_.ledger.StartOf(holding.worker, holding.range.begin, threads);
    if (!started) continue;
    parts_.estimator.ObserveUnfinished(holding.worker, parts_.costs.Of(holding.range),
                                       now - *started, holding.range.Middle());
  }
}

void ResultIntake::CancelElsewhere(const std::vector<TaskLedger::Holding>& others) {
  std::map<StreamId, std::vector<IndexRange>> cancelled;
  for (const auto& holding : others) {
    const auto& stream = parts_.membership.At(holding.worker).stream;
    if (stream) cancelled[*stream].push_back(holding.range);
  }
  for (auto& [stream, ranges] : cancelled) parts_.outbox.SendCancel(stream, std::move(ranges));
}

void ResultIntake::ApplyFailed(WorkerId worker, FailedTask failed, Instant now, Commit& commit) {
  const IndexRange one{failed.index, failed.index + 1};
  parts_.statistics.Node(worker).busy_seconds += ToSeconds(failed.busy);
  parts_.statistics.AddWasted(ToSeconds(failed.busy));
  if (parts_.verification.TakeFailure(worker, failed)) return;
  switch (parts_.ledger.FailRun(failed.index, worker, failed.grant)) {
    case TaskLedger::FailedFrom::kIgnored:
      return;
    case TaskLedger::FailedFrom::kWithheld:
      if (!parts_.retries.Withdraw(failed.index)) return;  // it pauses, or it is a suspect
      break;
    case TaskLedger::FailedFrom::kFree:
      parts_.driver.TakeAway(one);
      break;
    case TaskLedger::FailedFrom::kLease:
      break;
  }
  if (failed.cause == model::FailureCause::kRunnerLost) {
    return ApplyLostRunner(worker, std::move(failed), now, commit);
  }
  parts_.isolation.Clear(one);  // the process lived to report the failure
  CountFailure(std::move(failed), worker, now, commit);
}

// Any of the tasks that ran there may be why: none is charged before it has run alone.
void ResultIntake::ApplyLostRunner(WorkerId worker, FailedTask failed, Instant now,
                                   Commit& commit) {
  const TaskIndex index = failed.index;
  const IndexRange one{index, index + 1};
  if (parts_.isolation.IsAlone(worker, index)) {
    if (!parts_.lost_runners.MustAwait(failed)) {
      return ChargeLostRunner(worker, std::move(failed), now, commit);
    }
    const std::string& node = parts_.membership.At(worker).name;
    return parts_.lost_runners.Add({worker, node, std::move(failed)}, now);
  }
  if (parts_.ledger.StateOf(index) != TaskState::kWithheld) return;
  parts_.placement.Suspect(parts_.isolation.RecordDeath({one}, Death::kProcess));
  if (parts_.isolation.Suspects().Contains(index)) {
    parts_.isolation.Enqueue(one);
  } else if (parts_.retries.Failures(index) > 0) {
    parts_.retries.RetryNow(index);
  } else {  // as a task of a lost worker: a worker may return it after a Recall
    parts_.ledger.EndWithholding(one);
    parts_.driver.Return(worker, one, scheduling::TaskOrigin::kLost, now);
  }
}

void ResultIntake::JudgeLostRunners(Instant now) {
  for (LostRunners::Loss& loss : parts_.lost_runners.TakeDecided(now)) {
    // Another worker may have finished the task meanwhile.
    if (parts_.ledger.StateOf(loss.failed.index) != TaskState::kWithheld) continue;
    Commit commit;
    commit.worker = loss.worker;
    ChargeLostRunner(loss.worker, std::move(loss.failed), now, commit);
    parts_.commits.Add(std::move(commit));
  }
}

void ResultIntake::ChargeLostRunner(WorkerId worker, FailedTask failed, Instant now,
                                    Commit& commit) {
  const TaskIndex index = failed.index;
  const IndexRange one{index, index + 1};
  const bool out_of_memory = failed.cause == model::FailureCause::kOutOfMemory;
  if (out_of_memory) {
    parts_.isolation.Clear(one);  // its next runs alone are those of tasks without memory
    failed.reason = kContainerKilled;
  }
  failed.reason += " this task alone";
  CountFailure(std::move(failed), worker, now, commit);
  const bool waits = parts_.ledger.StateOf(index) == TaskState::kWithheld &&
                     parts_.isolation.Suspects().Contains(index);
  if (waits && !out_of_memory) parts_.isolation.Enqueue(one);
}

void ResultIntake::ChargeDeath(WorkerId worker, TaskIndex alone, Death death, Instant now) {
  const char* const reason = death == Death::kProcess ? kProcessDied : kNodeDied;
  Commit commit;
  commit.worker = worker;
  CountFailure({alone, reason, {}, {}, {}, {}, {}}, worker, now, commit);
  parts_.commits.Add(std::move(commit));
}

void ResultIntake::StopRuns(TaskIndex index, Instant now) {
  const IndexRange one{index, index + 1};
  std::vector<TaskLedger::Holding> leases;
  while (parts_.ledger.StateOf(index) == TaskState::kLeased) {  // a copy may inherit the lease
    parts_.ledger.ForEachLease(one, [&](const auto& lease) { leases.push_back(lease); });
    const auto released = parts_.ledger.Release(leases.back().worker, one, nullptr);
    if (!released.unassigned.empty()) parts_.ledger.Withhold(one);
  }
  CancelElsewhere(leases);
  for (const auto& lease : leases) parts_.placement.Touch(lease.worker, now);
}

void ResultIntake::CountFailure(FailedTask failed, WorkerId worker, Instant now, Commit& commit) {
  const IndexRange one{failed.index, failed.index + 1};
  const std::string node = parts_.membership.At(worker).name;
  const bool out_of_memory = failed.cause == model::FailureCause::kOutOfMemory;
  const auto verdict =
      parts_.retries.CountFailure(failed.index, node, failed.exit_code, out_of_memory);
  std::optional<WorkerId> alone_at;
  if (verdict == RetryPolicy::Verdict::kRetryAlone) alone_at = worker;
  if (verdict == RetryPolicy::Verdict::kRetryWithMostMemory) {
    alone_at = parts_.placement.WorkerWithMoreMemory(worker);
  }
  const bool final = verdict != RetryPolicy::Verdict::kRetry && !alone_at;
  if (out_of_memory) failed.reason.insert(0, kOutOfMemory);
  if (verdict == RetryPolicy::Verdict::kJobFailed) {
    commit.batch.fails_job = FailJobReason(failed.index, node, failed.exit_code);
  }
  parts_.statistics.CountFailedAttempt(failed.index, node, failed.reason, out_of_memory);
  if (!final) failed.record.clear();  // results contain the record of the last attempt only
  commit.failures.push_back({failed.index, node, std::move(failed.reason),
                             parts_.retries.Failures(failed.index), final, failed.exit_code,
                             std::move(failed.record)});
  if (final) {
    parts_.completion.QuoteFailure(failed.index, node, commit.failures.back().reason);
    StopRuns(failed.index, now);
    parts_.ledger.GiveUp(one);
    parts_.retries.Forget(one);
    parts_.isolation.Clear(one);
    ++commit.batch.failed;
  } else if (parts_.ledger.StateOf(failed.index) == TaskState::kWithheld &&
             !parts_.isolation.Suspects().Contains(failed.index)) {
    if (alone_at) {
      parts_.placement.RetryAlone(failed.index, *alone_at);
    } else {
      parts_.retries.RetryLater(failed.index, now);
    }
  }
}

}  // namespace evenkeel::engine
