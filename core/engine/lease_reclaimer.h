#pragma once

#include <vector>

#include "core/engine/crash_isolation.h"
#include "core/engine/messages.h"
#include "core/engine/retry_policy.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"

namespace evenkeel::engine {

/// Ends leases that brought no result and returns each task to the part that leases it next:
/// suspects wait for their run in isolation, retries are due at once, all others are the
/// strategy's. Not thread-safe.
class LeaseReclaimer {
 public:
  using WorkerId = scheduling::WorkerId;

  /// All of them outlive the reclaimer.
  struct Parts {
    TaskLedger& ledger;
    RetryPolicy& retries;
    CrashIsolation& isolation;
    StrategyDriver& driver;
  };

  explicit LeaseReclaimer(const Parts& parts) : parts_(parts) {}

  /// The worker's process is gone: all of its leases, copies and checks end.
  void ReclaimAll(WorkerId worker, Instant now);
  /// The worker's process holds only these tasks: others never reached it, or its report was lost.
  void ReclaimNotHeld(WorkerId worker, const model::RangeSet& held, Instant now);
  /// The worker gave these parts of grants back; those of grants that are over change nothing.
  /// Returns the number of tasks whose lease has ended by that.
  std::int64_t ReclaimGivenBack(WorkerId worker, const std::vector<Grant>& parts, Instant now);

 private:
  void Return(WorkerId from, const TaskLedger::Released& released, scheduling::TaskOrigin origin,
              Instant now);

  Parts parts_;
};

}  // namespace evenkeel::engine
