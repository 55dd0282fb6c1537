#include "core/engine/withheld_placement.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::TaskIndex;
using scheduling::WorkerId;

namespace {

// Retries that one call looks at; the others wait for the next call.
constexpr std::size_t kMaxDueLooks = 256;
constexpr std::size_t kMaxParkedLooks = 64;
// One in so many connected workers, and at least one, may be reserved for suspects.
constexpr std::size_t kWorkersPerIsolation = 4;

}  // namespace

void WithheldPlacement::Touch(WorkerId worker, Instant now) {
  if (parts_.retries.ParkedCount() > 0) touched_.push_back(worker);
  parts_.driver.Touch(worker, now);
}

void WithheldPlacement::Place(Instant now) {
  PlaceSuspects(now);
  parts_.retries.Update(now);
  PlaceDueRetries(now);
  PlaceParkedRetries(now);
  touched_.clear();
  parts_.outbox.SendGrants();
}

void WithheldPlacement::UpdateAvailability(WorkerId worker) {
  const Member& member = parts_.membership.At(worker);
  const bool takes_work = member.stream && !member.draining && !parts_.isolation.IsReserved(worker);
  parts_.ledger.SetAvailable(worker, takes_work);
}

// ---- Suspects ----

std::optional<TaskIndex> WithheldPlacement::RecordDeath(const CrashIsolation::Loss& loss,
                                                        Death death) {
  if (!loss.isolated.Empty()) {
    const TaskIndex alone = loss.isolated.begin;
    const TaskState state = parts_.ledger.StateOf(alone);
    const bool waits_or_runs = state == TaskState::kWithheld || state == TaskState::kLeased;
    if (loss.isolated.Size() > 1 || !waits_or_runs) return std::nullopt;
    if (death == Death::kNode && !parts_.isolation.RecordRestartAlone(alone)) return std::nullopt;
    return alone;
  }
  Suspect(parts_.isolation.RecordDeath(WithoutResult(loss.leased), death));
  return std::nullopt;
}

void WithheldPlacement::Suspect(const std::vector<IndexRange>& suspects) {
  for (const IndexRange suspect : suspects) {
    parts_.ledger.ForbidCopies(suspect);
    std::vector<IndexRange> free_parts;
    parts_.ledger.ForEachState(suspect, [&](IndexRange part, TaskState state) {
      if (IsFree(state)) free_parts.push_back(part);
    });
    for (const IndexRange part : free_parts) {
      parts_.ledger.Withhold(part);
      parts_.driver.TakeAway(part);
      parts_.isolation.Enqueue(part);
    }
  }
}

// Others may have finished some of the tasks since the worker was last seen.
std::vector<IndexRange> WithheldPlacement::WithoutResult(
    const std::vector<IndexRange>& leased) const {
  model::RangeSet open;
  for (const IndexRange range : leased) {
    parts_.ledger.ForEachState(range, [&open](IndexRange part, TaskState state) {
      if (IsOpen(state)) open.Insert(part);
    });
  }
  return open.Ranges();
}

void WithheldPlacement::PlaceSuspects(Instant now) {
  CrashIsolation& isolation = parts_.isolation;
  if (isolation.Suspects().Empty() && isolation.Reserved().empty()) return;
  FreeWhereNextFailed(now);
  ReserveForSuspects(now);
  const std::vector<WorkerId> reserved = isolation.Reserved();
  for (const WorkerId worker : reserved) {
    const Member& member = parts_.membership.At(worker);
    // Only in answer to a message: a worker that died unnoticed would have the task charged for it.
    const bool ready =
        member.stream && !member.draining && parts_.membership.LastHeard(worker) == now;
    if (!ready || parts_.ledger.OutstandingTasks(worker) > 0) continue;
    const auto next = isolation.Next(worker);
    if (next && !MayRunAlone(*next, worker)) continue;  // it is freed for that next time
    if (const auto range = isolation.TakeNext(worker)) {
      const GrantId grant = parts_.outbox.AddGrant(*member.stream, *range, /*copy=*/false,
                                                   parts_.retries.Failures(range->begin));
      parts_.ledger.LeaseWithheld(*range, worker, grant, now);
      isolation.Run(worker, *range);
    } else {
      FreeReserved(worker, now);
    }
  }
  parts_.outbox.SendGrants();
}

void WithheldPlacement::FreeReserved(WorkerId worker, Instant now) {
  parts_.isolation.Free(worker);
  UpdateAvailability(worker);
  Touch(worker, now);
}

// Looks at the first range that waits for each worker only: there is hardly ever a second one.
void WithheldPlacement::FreeWhereNextFailed(Instant now) {
  const std::vector<WorkerId> reserved = parts_.isolation.Reserved();
  for (const WorkerId worker : reserved) {
    const auto next = parts_.isolation.Next(worker);
    const bool idle = parts_.ledger.OutstandingTasks(worker) == 0;
    if (idle && next && !MayRunAlone(*next, worker)) FreeReserved(worker, now);
  }
}

void WithheldPlacement::ReserveForSuspects(Instant now) {
  CrashIsolation& isolation = parts_.isolation;
  const StreamTable& streams = parts_.membership.Streams();
  const std::size_t most = std::max<std::size_t>(streams.Size() / kWorkersPerIsolation, 1);
  while (isolation.Reserved().size() < std::min(most, isolation.WaitingCount())) {
    const auto best = WorkerToReserve(*isolation.First(), now);
    if (!best) return;
    isolation.Reserve(*best);
    UpdateAvailability(*best);
    if (parts_.ledger.OutstandingTasks(*best) > 0) {
      parts_.driver.RecallAll(*parts_.membership.At(*best).stream);
    }
    Touch(*best, now);
  }
}

std::optional<WorkerId> WithheldPlacement::WorkerToReserve(CrashIsolation::Waiting next,
                                                           Instant now) const {
  const CrashIsolation& isolation = parts_.isolation;
  std::optional<WorkerId> best;
  std::pair<std::int32_t, Instant> best_rank;  // reboots first
  for (const auto& [stream, worker] : parts_.membership.Streams()) {
    if (isolation.IsReserved(worker) || parts_.membership.At(worker).draining) continue;
    if (!MayRunAlone(next, worker)) continue;
    const std::pair rank(isolation.Reboots(worker), parts_.room.ReadyTime(worker, now));
    if (best && best_rank <= rank) continue;
    best = worker;
    best_rank = rank;
  }
  return best;
}

bool WithheldPlacement::MayRunAlone(const CrashIsolation::Waiting& next, WorkerId worker) const {
  return next.at ? next.at->value == worker.value : MayRetryAt(next.range.begin, worker);
}

void WithheldPlacement::RetryAlone(TaskIndex index, WorkerId worker) {
  parts_.ledger.ForbidCopies({index, index + 1});
  parts_.isolation.IsolateAt(worker, index);
  if (parts_.membership.At(worker).absent) parts_.isolation.ReleaseFrom(worker);
}

std::optional<WorkerId> WithheldPlacement::WorkerWithMoreMemory(WorkerId than) const {
  std::optional<WorkerId> best;
  std::int64_t most = parts_.membership.At(than).task_memory_bytes;
  for (const auto& [stream, worker] : parts_.membership.Streams()) {
    const Member& member = parts_.membership.At(worker);
    if (member.draining || member.task_memory_bytes <= most) continue;
    best = worker;
    most = member.task_memory_bytes;
  }
  return best;
}

// ---- Retries ----

void WithheldPlacement::PlaceDueRetries(Instant now) {
  if (!parts_.retries.AnyDue()) return;
  std::vector<WorkerId> with_room = parts_.room.WorkersWithRoom(now);
  for (std::size_t looks = 0; looks < kMaxDueLooks; ++looks) {
    const auto index = parts_.retries.TakeDue();
    if (!index) break;
    const auto worker = parts_.room.EndsFirst(
        *index, with_room, now, [&](WorkerId candidate) { return MayRetryAt(*index, candidate); });
    if (!worker) {
      parts_.retries.Park(*index);
      continue;
    }
    LeaseRetry(*index, *worker, now);
    if (!parts_.room.HasRoom(*worker, now)) std::erase(with_room, *worker);
  }
}

void WithheldPlacement::PlaceParkedRetries(Instant now) {
  for (const WorkerId worker : touched_) {
    const bool connected = parts_.membership.At(worker).stream.has_value();
    std::size_t looks = std::min(parts_.retries.ParkedCount(), kMaxParkedLooks);
    for (; looks > 0 && connected && parts_.room.HasRoom(worker, now); --looks) {
      const auto index = parts_.retries.TakeParked();
      if (!index) break;
      if (MayRetryAt(*index, worker)) {
        LeaseRetry(*index, worker, now);
      } else {
        parts_.retries.Park(*index);
      }
    }
  }
}

void WithheldPlacement::LeaseRetry(TaskIndex index, WorkerId worker, Instant now) {
  const IndexRange one{index, index + 1};
  const GrantId grant = parts_.outbox.AddGrant(*parts_.membership.At(worker).stream, one,
                                               /*copy=*/false, parts_.retries.Failures(index));
  parts_.ledger.LeaseWithheld(one, worker, grant, now);
  parts_.driver.Touch(worker, now);
}

bool WithheldPlacement::MayRetryAt(TaskIndex index, WorkerId worker) const {
  const std::string& name = parts_.membership.At(worker).name;
  if (AnyUntriedNode(index)) return !parts_.retries.FailedOn(index, name);
  if (!parts_.retries.FailedLastOn(index, name)) return true;
  return parts_.membership.Streams().Size() <= 1;  // elsewhere if there is any other worker
}

// A node that has not connected yet, or is away, is waited for until its lease is over: the first
// board of a cluster to connect may be the one on which all tasks fail.
bool WithheldPlacement::AnyUntriedNode(TaskIndex index) const {
  std::size_t tried = 0;
  for (const std::string& node : parts_.retries.NodesOf(index)) {
    const auto worker = parts_.membership.Find(node);
    if (worker && !parts_.membership.At(*worker).lost) ++tried;
  }
  return parts_.membership.Present() > tried;
}

void WithheldPlacement::CheckInvariants() const {
  parts_.isolation.Suspects().ForEach([this](IndexRange range) {
    parts_.ledger.ForEachState(range, [](IndexRange, TaskState state) {
      EVENKEEL_CHECK(state == TaskState::kLeased || state == TaskState::kWithheld,
                     "a suspect that the strategy could lease");
    });
  });
}

}  // namespace evenkeel::engine
