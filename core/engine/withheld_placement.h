#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/engine/crash_isolation.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/membership.h"
#include "core/engine/retry_policy.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"
#include "core/engine/worker_room.h"

namespace evenkeel::engine {

/// Leases the withheld tasks, which no strategy may lease: retries go to the worker on which they
/// would end first, and suspects run alone on workers that are reserved for them. Decides which
/// workers the strategy may use: connected ones that neither drain nor are reserved. A suspect is
/// always withheld or leased. Not thread-safe.
class WithheldPlacement {
 public:
  using WorkerId = scheduling::WorkerId;

  /// All of them outlive the placement.
  struct Parts {
    const WorkerRoom& room;
    const Membership& membership;
    TaskLedger& ledger;
    RetryPolicy& retries;
    CrashIsolation& isolation;
    StrategyDriver& driver;
    EffectOutbox& outbox;
  };

  explicit WithheldPlacement(const Parts& parts) : parts_(parts) {}

  /// Something changed at the worker: parked retries may fit there. Also notifies the strategy.
  void Touch(WorkerId worker, Instant now);
  /// Leases what can be leased now.
  void Place(Instant now);
  /// Nothing is leased for now: the changes since the last Place are forgotten.
  void Skip() { touched_.clear(); }
  /// The worker's stream, its draining or its reservation has changed.
  void UpdateAvailability(WorkerId worker);
  /// A worker died that had lost these leases: tasks become suspects. Returns the task that it ran
  /// alone, which is to be charged with a failed attempt. That task is withheld, or leased to
  /// another worker since.
  [[nodiscard]] std::optional<model::TaskIndex> RecordDeath(const CrashIsolation::Loss& loss,
                                                            Death death);

  /// The tasks are suspects from now on: the strategy leases them no more, and they are not copied.
  void Suspect(const std::vector<model::IndexRange>& suspects);
  /// The withheld task ran out of memory: it runs next on that worker, which has nothing else then.
  /// If the worker is absent, it runs alone on another one.
  void RetryAlone(model::TaskIndex index, WorkerId worker);
  /// The connected worker whose tasks have the most memory; nothing if none has more than `than`.
  [[nodiscard]] std::optional<WorkerId> WorkerWithMoreMemory(WorkerId than) const;

  /// Stops the process if a suspect is neither withheld nor leased.
  void CheckInvariants() const;

 private:
  void PlaceSuspects(Instant now);
  [[nodiscard]] std::vector<model::IndexRange> WithoutResult(
      const std::vector<model::IndexRange>& leased) const;
  void FreeReserved(WorkerId worker, Instant now);
  void FreeWhereNextFailed(Instant now);
  void ReserveForSuspects(Instant now);
  [[nodiscard]] std::optional<WorkerId> WorkerToReserve(CrashIsolation::Waiting next,
                                                        Instant now) const;
  [[nodiscard]] bool MayRunAlone(const CrashIsolation::Waiting& next, WorkerId worker) const;
  void PlaceDueRetries(Instant now);
  void PlaceParkedRetries(Instant now);
  void LeaseRetry(model::TaskIndex index, WorkerId worker, Instant now);
  [[nodiscard]] bool MayRetryAt(model::TaskIndex index, WorkerId worker) const;
  /// Some node that is not lost has not failed the task.
  [[nodiscard]] bool AnyUntriedNode(model::TaskIndex index) const;

  Parts parts_;
  std::vector<WorkerId> touched_;  // since retries were last placed
};

}  // namespace evenkeel::engine
