#include "core/engine/lease_reclaimer.h"

namespace evenkeel::engine {

using model::IndexRange;
using model::TaskIndex;
using scheduling::TaskOrigin;
using scheduling::WorkerId;

void LeaseReclaimer::ReclaimAll(WorkerId worker, Instant now) {
  Return(worker, parts_.ledger.ReleaseAll(worker), TaskOrigin::kLost, now);
}

void LeaseReclaimer::ReclaimNotHeld(WorkerId worker, const model::RangeSet& held, Instant now) {
  for (const IndexRange leased : parts_.ledger.Leased(worker).Ranges()) {
    for (const IndexRange gone : held.Missing(leased)) {
      Return(worker, parts_.ledger.Release(worker, gone, nullptr), TaskOrigin::kLost, now);
    }
  }
  for (const IndexRange copy : parts_.ledger.Copies(worker).Ranges()) {
    for (const IndexRange gone : held.Missing(copy)) parts_.ledger.DropCopies(worker, gone);
  }
  for (const IndexRange check : parts_.ledger.Checks(worker).Ranges()) {
    for (const IndexRange gone : held.Missing(check)) {
      parts_.ledger.DropChecks(worker, gone, /*lost=*/true);
    }
  }
}

std::int64_t LeaseReclaimer::ReclaimGivenBack(WorkerId worker, const std::vector<Grant>& parts,
                                              Instant now) {
  std::int64_t tasks = 0;
  for (const Grant& part : parts) {
    const IndexRange range = model::Intersect(part.range, {0, parts_.ledger.TaskCount()});
    if (range.Empty()) continue;
    parts_.ledger.DropChecks(worker, range, /*lost=*/false);
    const auto released = parts_.ledger.Release(worker, range, &part.id);
    for (const IndexRange free : released.unassigned) tasks += free.Size();
    for (const IndexRange free : released.withheld) tasks += free.Size();
    Return(worker, released, TaskOrigin::kGivenBack, now);
  }
  return tasks;
}

void LeaseReclaimer::Return(WorkerId from, const TaskLedger::Released& released, TaskOrigin origin,
                            Instant now) {
  const model::RangeSet& suspects = parts_.isolation.Suspects();
  for (const IndexRange range : released.unassigned) {
    for (const IndexRange part : suspects.Missing(range)) {
      parts_.driver.Return(from, part, origin, now);
    }
    for (const IndexRange suspect : suspects.Within(range)) {
      parts_.ledger.Withhold(suspect);
      parts_.isolation.EnqueueAgain(from, suspect);
    }
  }
  for (const IndexRange range : released.withheld) {
    for (const IndexRange part : suspects.Missing(range)) {
      for (TaskIndex i = part.begin; i < part.end; ++i) parts_.retries.RetryNow(i);
    }
    for (const IndexRange suspect : suspects.Within(range)) {
      parts_.isolation.EnqueueAgain(from, suspect);
    }
  }
}

}  // namespace evenkeel::engine
