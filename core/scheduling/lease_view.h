#pragma once

#include <absl/container/inlined_vector.h>

#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/model/cost_model.h"
#include "core/model/range_set.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// A task that a worker runs.
struct RunningTask {
  model::TaskIndex index = 0;
  Instant since{};          ///< when it started, or when it was leased
  bool start_known = true;  ///< false: `since` is when it was leased
  /// Where a run does a range: when the worker reported that `index` is the first task that is not
  /// done; `since` is when the run started.
  Instant noted{};
};

using RunningTasks = absl::InlinedVector<RunningTask, 4>;

/// The leases as strategies read them; the engine owns them. Not thread-safe.
class LeaseView {
 public:
  virtual ~LeaseView() = default;
  /// Leased to the worker and not reported yet, copies not included.
  [[nodiscard]] virtual const model::RangeSet& Leased(WorkerId worker) const = 0;
  /// Speculative copies that it runs of tasks leased to others.
  [[nodiscard]] virtual const model::RangeSet& Copies(WorkerId worker) const = 0;
  /// Cost of Leased and Copies together.
  [[nodiscard]] virtual model::Cost OutstandingCost(WorkerId worker) const = 0;
  /// Number of tasks in Leased and Copies together.
  [[nodiscard]] virtual std::int64_t OutstandingTasks(WorkerId worker) const = 0;
  /// The range that the worker was leased last and has not reported, without tasks that have copies
  /// already, that failed before and so are not copied, or that are in `besides`. Empty if there is
  /// none.
  [[nodiscard]] virtual model::IndexRange NewestUncopied(WorkerId worker,
                                                         const model::RangeSet& besides) const = 0;
  /// The task that the worker was leased first of those it has not reported, retries left out:
  /// with one thread, the one it runs. Empty if there is none.
  [[nodiscard]] virtual model::IndexRange OldestLeased(WorkerId worker) const = 0;
  /// Since when the worker has been working on what is first in its queue: the end of its last
  /// reported task, or the first grant after it ran dry.
  [[nodiscard]] virtual Instant WorkingSince(WorkerId worker) const = 0;
  /// Leased tasks and copies of which the worker has reported that it runs them. The others follow
  /// if it has no more tasks than `threads`, because then it runs all. A task that waited for a
  /// thread started when the thread became idle; it is not known when the others arrived.
  [[nodiscard]] virtual RunningTasks Running(WorkerId worker, std::int64_t threads) const = 0;
  /// When the worker started the task, as it reported; if it had no more than `threads` tasks with
  /// this one, `since` as in Running. Nothing if that is not known. The worker need not hold the
  /// task any more, but nothing was leased to it since.
  [[nodiscard]] virtual std::optional<Instant> StartOf(WorkerId worker, model::TaskIndex index,
                                                       std::int64_t threads) const = 0;
  [[nodiscard]] virtual bool Connected(WorkerId worker) const = 0;
  /// Leased tasks of which other workers run copies.
  [[nodiscard]] virtual const model::RangeSet& Copied() const = 0;
  /// The workers that run copies of the task, in the order in which they got them.
  [[nodiscard]] virtual std::vector<WorkerId> CopyHolders(model::TaskIndex index) const = 0;
  /// Leased tasks of which no copy is allowed, because they failed before or are
  /// suspected of killing what runs them.
  [[nodiscard]] virtual const model::RangeSet& NotToBeCopied() const = 0;
};

/// Where strategies enter the reservations that they propose. The engine owns and checks them: an
/// illegal call stops the process. Not thread-safe.
class ReservationLedger {
 public:
  virtual ~ReservationLedger() = default;
  /// Tasks that are free or reserved for any worker are reserved for this one from now on. The
  /// first reservation of a task is its plan.
  virtual void Reserve(model::IndexRange range, WorkerId worker) = 0;
  /// Reserved tasks are free again.
  virtual void Unreserve(model::IndexRange range) = 0;
};

}  // namespace evenkeel::scheduling
