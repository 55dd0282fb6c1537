#include "core/engine/worker_lifecycle.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace evenkeel::engine {

using model::IndexRange;
using model::TimelineEvent;
using scheduling::WorkerId;

namespace {

// A weight of 0 still means some speed.
constexpr double kLeastRatio = 1e-6;

std::vector<IndexRange> Holdings(const TaskLedger& ledger, WorkerId worker) {
  std::vector<IndexRange> ranges = ledger.Leased(worker).Ranges();
  ledger.Copies(worker).ForEach([&ranges](IndexRange range) { ranges.push_back(range); });
  return ranges;
}

/// The tasks of `all` that the worker holds, each once however often it lists them. `with_results`:
/// also those that are done and wait to be reported.
model::RangeSet HeldTasks(const Hello& hello, IndexRange all, bool with_results) {
  model::RangeSet held;
  for (const Grant& grant : hello.held) {
    if (with_results || grant.id != GrantId{}) held.Insert(model::Intersect(grant.range, all));
  }
  return held;
}

}  // namespace

WorkerId WorkerLifecycle::AddNode(const ExpectedNode& node, Instant now) {
  parts_.estimator.AddWorker(std::max(node.ratio, kLeastRatio), 1, node.sigma);
  parts_.ledger.AddWorker();
  parts_.isolation.AddWorker();
  parts_.statistics.AddNode(node.name, node.ratio, node.power);
  return parts_.membership.Add(node.name, node.ratio, now);
}

// ---- Coming ----

bool WorkerLifecycle::Admit(StreamId stream, const Hello& hello, Instant now) {
  const CoordinatorConfig& config = parts_.config;
  if (const std::string reason = parts_.membership.RefusalReason(hello); !reason.empty()) {
    parts_.outbox.Send(stream, Refusal{reason});
    parts_.outbox.Add(CloseStream{stream});
    return true;
  }
  if (IsOfLaterStart(hello)) return false;
  const WorkerId worker = FindOrAddNode(hello, now);
  if (parts_.membership.WasReplaced(worker, hello.incarnation) ||
      parts_.membership.MustWaitForOther(worker, hello)) {
    // Not a refusal: messages may be late, and this may be the newer process after all.
    parts_.outbox.Add(CloseStream{stream});
    return true;
  }
  const bool can_have_run = parts_.membership.CanHaveRunTasks(worker, now);
  if (const auto before = parts_.membership.Connect(worker, stream, now, hello.peer)) {
    parts_.outbox.Add(CloseStream{*before});  // the newer connection is the true one
  }
  parts_.statistics.Node(worker).threads = hello.threads;
  parts_.estimator.SetThreads(worker, hello.threads);
  parts_.estimator.SetRoundTrip(worker, std::nullopt);  // of the stream before
  parts_.placement.UpdateAvailability(worker);
  AttachProcess(worker, hello, can_have_run, now);
  parts_.statistics.RecordNodeEvent(TimelineEvent::Kind::kJoined, worker, now, {});
  parts_.outbox.Send(stream,
                     Welcome{config.epoch,
                             config.job.name,
                             config.job.workload_parameters,
                             config.report_interval,
                             config.job.balancing.lease,
                             config.job.task_policy.idempotent,
                             config.job.task_policy.timeout,
                             {},
                             config.epochs ? config.epochs->Tag(config.epoch) : std::string(),
                             config.ranges.has_value()});
  CancelStale(worker, hello);
  parts_.retries.UnparkAll();
  parts_.placement.Touch(worker, now);
  return true;
}

// A claim without a valid tag is not one of a coordinator.
bool WorkerLifecycle::IsOfLaterStart(const Hello& hello) const {
  const CoordinatorConfig& config = parts_.config;
  return hello.epoch > config.epoch &&
         (config.epochs == nullptr || config.epochs->IsTagOf(hello.epoch, hello.epoch_tag));
}

WorkerId WorkerLifecycle::FindOrAddNode(const Hello& hello, Instant now) {
  if (const auto known = parts_.membership.Find(hello.node)) return *known;
  const double ratio = hello.ratio > 0 ? hello.ratio : parts_.membership.MeanRatio();
  const WorkerId worker = AddNode({hello.node, ratio}, now);
  parts_.driver.AddWorker(worker, ratio, now);
  return worker;
}

void WorkerLifecycle::AttachProcess(WorkerId worker, const Hello& hello, bool can_have_run,
                                    Instant now) {
  const Member& member = parts_.membership.At(worker);
  const bool replaced = !member.incarnation.empty() && member.incarnation != hello.incarnation;
  const bool same_process =
      member.incarnation == hello.incarnation && hello.epoch == parts_.config.epoch;
  const bool died = replaced && can_have_run && !member.draining;
  const Death death = member.boot_id == hello.boot_id ? Death::kProcess : Death::kNode;
  if (replaced && !member.absent) {
    parts_.isolation.NoteUnreachable(worker, Holdings(parts_.ledger, worker));
  }
  parts_.membership.SetProcess(worker, hello.incarnation, hello.boot_id);
  parts_.membership.SetTaskMemory(worker, hello.task_memory_bytes);
  if (same_process) {
    const IndexRange all{0, parts_.ledger.TaskCount()};
    parts_.reclaimer.ReclaimNotHeld(worker, HeldTasks(hello, all, /*with_results=*/true), now);
  } else {
    parts_.isolation.Free(worker);
    parts_.placement.UpdateAvailability(worker);
    parts_.reclaimer.ReclaimAll(worker, now);
  }
  if (member.absent) parts_.driver.WorkerReturned(worker, now);
  parts_.membership.Rejoin(worker);
  const CrashIsolation::Loss loss = parts_.isolation.TakeLoss(worker);
  if (!died) return;
  if (death == Death::kNode) parts_.isolation.NoteReboot(worker);
  if (const auto alone = parts_.placement.RecordDeath(loss, death)) {
    parts_.intake.ChargeDeath(worker, *alone, death, now);
  }
}

// While the worker was away, others may have got its tasks; it may continue those that are free.
void WorkerLifecycle::CancelStale(WorkerId worker, const Hello& hello) {
  if (hello.epoch != parts_.config.epoch) return;  // it drops all of them by itself
  const TaskLedger& ledger = parts_.ledger;
  const IndexRange all{0, ledger.TaskCount()};
  std::vector<IndexRange> cancelled;
  HeldTasks(hello, all, /*with_results=*/false).ForEach([&](IndexRange held) {
    ledger.ForEachState(held, [&](IndexRange part, TaskState state) {
      if (state != TaskState::kCompleted && state != TaskState::kDurable) return;
      const auto unchecked = ledger.Checks(worker).Missing(part);
      cancelled.insert(cancelled.end(), unchecked.begin(), unchecked.end());
    });
    ledger.ForEachLease(held, [&](const TaskLedger::Holding& lease) {
      if (lease.worker == worker) return;
      for (const IndexRange part : ledger.Copies(worker).Missing(lease.range)) {
        cancelled.push_back(part);
      }
    });
  });
  if (cancelled.empty()) return;
  parts_.outbox.SendCancel(*parts_.membership.At(worker).stream, std::move(cancelled));
}

// ---- Going ----

void WorkerLifecycle::OnStreamClosed(StreamId stream, Instant now) {
  const auto worker = parts_.membership.Disconnect(stream, now);
  if (!worker) return;
  parts_.placement.UpdateAvailability(*worker);
  parts_.placement.Touch(*worker, now);
}

void WorkerLifecycle::OnDraining(WorkerId worker) {
  parts_.membership.At(worker).draining = true;
  parts_.placement.UpdateAvailability(worker);
}

void WorkerLifecycle::Lose(WorkerId worker, const std::string& why, bool in_good_order,
                           Instant now) {
  if (parts_.membership.At(worker).lost) return;
  if (const auto stream = parts_.membership.Remove(worker)) {
    parts_.outbox.Add(CloseStream{*stream});
  }
  parts_.placement.UpdateAvailability(worker);
  GiveTasksToOthers(worker, in_good_order, now);
  parts_.retries.UnparkAll();  // they may have waited for this node
  parts_.statistics.RecordNodeEvent(TimelineEvent::Kind::kLost, worker, now, why);
}

void WorkerLifecycle::GiveTasksToOthers(WorkerId worker, bool in_good_order, Instant now) {
  const bool absent_before = parts_.membership.At(worker).absent;
  parts_.membership.MarkAbsent(worker);
  if (absent_before) return;
  if (!in_good_order) parts_.isolation.NoteUnreachable(worker, Holdings(parts_.ledger, worker));
  parts_.isolation.Free(worker);
  parts_.isolation.ReleaseFrom(worker);
  parts_.driver.WorkerLost(worker, now);
  parts_.reclaimer.ReclaimAll(worker, now);
}

void WorkerLifecycle::ExpireLeases(Instant now) {
  for (const WorkerId worker : parts_.membership.TakeExpired(now)) {
    const bool never_came = parts_.membership.At(worker).incarnation.empty();
    Lose(worker, never_came ? "never connected" : "silent for a whole lease", false, now);
  }
  for (;;) {
    const auto overdue = parts_.membership.OverdueToReconnect(now);
    if (overdue.empty()) return;
    for (const WorkerId worker : overdue) GiveTasksToOthers(worker, false, now);
  }
}

}  // namespace evenkeel::engine
