#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/engine/crash_isolation.h"
#include "core/engine/membership.h"
#include "core/engine/task_ledger.h"
#include "core/model/cost_model.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// Which connected workers can take a task that no strategy places, and when each would have run
/// it. Keeps no state of its own. Not thread-safe.
class WorkerRoom {
 public:
  using WorkerId = scheduling::WorkerId;

  /// All of them outlive this object.
  struct Parts {
    const model::CostModel& costs;
    const scheduling::TimingEstimator& estimator;
    const Membership& membership;
    const TaskLedger& ledger;
    const CrashIsolation& isolation;
  };

  /// `report_interval`: how often a busy worker reports.
  WorkerRoom(const Parts& parts, Duration report_interval)
      : parts_(parts), report_interval_(report_interval) {}

  /// Workers with room, in the order of their streams.
  [[nodiscard]] std::vector<WorkerId> WorkersWithRoom(Instant now) const;
  /// Whether the worker, which is connected, can take one more task.
  [[nodiscard]] bool HasRoom(WorkerId worker, Instant now) const;
  /// When the worker will have run what it has leased.
  [[nodiscard]] Instant ReadyTime(WorkerId worker, Instant now) const;

  /// The one of `workers` that may_run(WorkerId) and on which the task would end first; nothing if
  /// there is none.
  template <typename MayRun>
  [[nodiscard]] std::optional<WorkerId> EndsFirst(model::TaskIndex index,
                                                  const std::vector<WorkerId>& workers, Instant now,
                                                  const MayRun& may_run) const {
    std::optional<WorkerId> best;
    Instant best_end{};
    for (const WorkerId worker : workers) {
      if (!may_run(worker)) continue;
      const Instant end = EndOf(index, worker, now);
      if (best && best_end <= end) continue;
      best = worker;
      best_end = end;
    }
    return best;
  }

 private:
  [[nodiscard]] Instant EndOf(model::TaskIndex index, WorkerId worker, Instant now) const;

  Parts parts_;
  Duration report_interval_;
};

}  // namespace evenkeel::engine
