#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "core/scheduling/energy/balancing_goal.h"
#include "core/scheduling/reserved_pool.h"
#include "core/scheduling/residual_time.h"
#include "core/scheduling/tail_stealing/finish_index.h"
#include "core/scheduling/tail_stealing/medium_shares.h"

namespace evenkeel::scheduling {

/// A worker as seen by the end of the job: when it can start another task and how long one takes
/// it.
struct Slot {
  Instant ready;
  Duration task;              ///< > 0, one task on one thread
  std::uint32_t threads = 1;  ///< tasks side by side
};

/// The smallest T by which `tasks` equal tasks can be done: the smallest T such that the sum over
/// slots of threads * floor((T - ready) / task) is at least `tasks` (the bound for indivisible
/// tasks on unequal machines). To within 0.1 %. A worker that could not finish a task by then had
/// better not start it: it would outlast all others. O(30 slots). `slots` must not be empty.
[[nodiscard]] Instant FinishLevel(const std::vector<Slot>& slots, std::int64_t tasks);

/// Predicts from rates, leases and reservations when each worker runs dry and finishes. Keeps
/// indexes of both times, current as of the last Update of each worker. An update is O(log
/// workers). Not thread-safe.
class FinishPredictor {
 public:
  /// All outlive the predictor.
  FinishPredictor(const StrategyContext& context, const ReservedPool& pool,
                  const MediumShares& medium)
      : context_(context), pool_(pool), medium_(medium) {}

  void AddWorkers(std::size_t count) { known_.resize(known_.size() + count); }
  /// The worker's connection, rate or leases may have changed.
  void Update(WorkerId worker, Instant now);
  /// The worker's reservation has changed.
  void UpdateReservation(WorkerId worker, Instant now);
  /// Computes the worker's indexed times again.
  void Reindex(WorkerId worker, Instant now);

  /// Alive and connected.
  [[nodiscard]] bool Usable(WorkerId worker) const {
    return pool_.Alive(worker) && context_.leases.Connected(worker);
  }
  /// Cost units per second, no more than can be sent to it; half of it while the worker is not
  /// connected, because it may come late or never.
  [[nodiscard]] double Rate(WorkerId worker) const;
  /// When the worker will have run what it has leased, as of its last Update or Reindex if that was
  /// at the same time.
  [[nodiscard]] Instant Ready(WorkerId worker, Instant now) const {
    return OutlookOf(worker, now).ready;
  }
  /// When it will have run what is reserved for it as well.
  [[nodiscard]] Instant Finish(WorkerId worker, Instant now) const;
  /// A task that a worker runs. Seconds count from `now`.
  struct Running {
    model::IndexRange task;  ///< one task; empty if it is not known which
    double cost = 0;         ///< expected
    double elapsed = 0;      ///< seconds that it has run
    double rate = 1;         ///< of a thread of the worker; lower if any task of the worker is late
    ResidualTime residual{};  ///< for how long it goes on
    double deviation = 0;     ///< relative standard deviation of the time that it takes in all
  };
  using RunningTasks = absl::InlinedVector<Running, 4>;
  /// The tasks that the worker reported to run; without a report, the one that it was leased first,
  /// or the last of its tasks if it should have run them all. It must have tasks.
  [[nodiscard]] RunningTasks RunningAt(WorkerId worker, Instant now) const;
  /// Expected cost of the tasks: as declared, or by the trend over the index if costs are not
  /// known.
  [[nodiscard]] double CostOf(model::IndexRange tasks) const;
  /// Cost of the leased tasks and copies of the worker.
  [[nodiscard]] double LeasedCost(WorkerId worker) const;
  /// Seconds that the worker has run its copy of a task.
  [[nodiscard]] double CopyRunsFor(WorkerId holder, model::TaskIndex task, Instant now) const;
  /// Seconds that the worker needs for its copy of a task, if the task costs so much.
  [[nodiscard]] double CopyEndsIn(WorkerId holder, model::TaskIndex task, double cost,
                                  Instant now) const;
  /// Relative standard deviation of the time of a task.
  [[nodiscard]] double Deviation(WorkerId worker) const;
  [[nodiscard]] BalancingGoal::Party PartyOf(WorkerId worker, Instant finish) const {
    return {worker, Rate(worker), finish};
  }
  /// Mean cost of the reserved tasks, or of the tasks of the job when none is reserved.
  [[nodiscard]] double MeanCost() const;
  /// Cost of the largest reserved task; tasks that are not kept one by one count as their mean.
  /// O(workers).
  [[nodiscard]] double LargestCost() const;
  /// Time of a mean reserved task on one thread; of a mean task of the job when none is reserved.
  [[nodiscard]] Duration TaskTime(WorkerId worker) const;
  /// Time from the start of such a task to that of the next on the same thread, if none is leased
  /// ahead of need.
  [[nodiscard]] Duration CycleTime(WorkerId worker) const;
  /// Time in which all connected workers together would run all reserved tasks.
  [[nodiscard]] Duration PoolTime() const;
  /// Leased tasks that end within half of the time of a task, so that their threads are idle soon.
  /// O(workers).
  [[nodiscard]] std::int64_t TasksEndingSoon(Instant now) const;
  [[nodiscard]] std::int64_t PoolTasks() const { return pool_tasks_; }
  /// So few tasks are reserved, and one takes the worker so long, that a task that waits behind
  /// another costs more than a round trip.
  [[nodiscard]] bool FewLongTasks(WorkerId worker) const;
  /// Sum of the rates of the usable workers.
  [[nodiscard]] double RateSum() const { return rate_sum_; }
  /// The finish level of the reserved tasks. O(workers); with many workers it is kept for a while.
  [[nodiscard]] Instant Level(Instant now);
  /// The next Level is computed anew.
  void ForgetLevel(Instant now) { level_until_ = now; }

  /// Workers with leased tasks, by when they run dry.
  [[nodiscard]] const FinishIndex& ByReady() const { return ready_; }
  /// Workers with reserved tasks, by when they finish.
  [[nodiscard]] const FinishIndex& ByFinish() const { return finish_; }

 private:
  /// Prediction for a worker, from its leases and the time that has passed since.
  struct Outlook {
    Instant ready{};      ///< when it will have run what it has leased
    double slowdown = 1;  ///< by what factor it seems to be slower than its rate says, because what
                          ///< it runs should have ended before (a censored observation); at least 1
  };
  /// A worker's part of the sums.
  struct Known {
    model::Cost reserved = 0;
    std::int64_t tasks = 0;
    double rate = 0;
    Outlook outlook;
    Instant predicted_at = kNever;  ///< by the last Update or Reindex
  };

  [[nodiscard]] Outlook OutlookOf(WorkerId worker, Instant now) const {
    const Known& known = known_[worker.value];
    return known.predicted_at == now ? known.outlook : PredictOutlook(worker, now);
  }
  [[nodiscard]] Outlook PredictOutlook(WorkerId worker, Instant now) const;
  /// Time of such a task on one thread, with the slowdown.
  [[nodiscard]] double SecondsOf(double cost, WorkerId worker) const;
  /// Time in which the worker should run all that it has leased, from WorkingSince on.
  [[nodiscard]] Duration ExpectedTime(WorkerId worker) const;
  /// Cost of the largest reserved task that is kept one by one, or of the one that should take
  /// longest by the trend over the index; 0 if there is neither.
  [[nodiscard]] double LargestKept() const;
  /// When the largest reserved task could have ended at the earliest; `now` if none is kept one
  /// by one.
  [[nodiscard]] Instant EarliestEndOfLargest(Instant now) const;
  [[nodiscard]] double SuppliedRate(WorkerId worker) const;
  /// How much less its reservation takes because the data of some tasks are at its node.
  [[nodiscard]] double SecondsSaved(WorkerId worker) const;
  /// The tasks that a worker without a report probably runs; see RunningAt. Without rate and
  /// residual.
  [[nodiscard]] Running UnreportedAt(WorkerId worker, Instant now) const;
  /// Sets rate, residual and deviation of these tasks from their costs and the times that they have
  /// run. If one is late, the worker has become slower, and all its tasks take longer.
  void PredictRunning(WorkerId worker, RunningTasks& all) const;
  void IndexFinish(WorkerId worker, Instant now);

  const StrategyContext& context_;
  const ReservedPool& pool_;
  const MediumShares& medium_;
  std::vector<Known> known_;
  FinishIndex finish_;
  FinishIndex ready_;
  model::Cost pool_cost_ = 0;  // of all reserved tasks
  std::int64_t pool_tasks_ = 0;
  double rate_sum_ = 0;
  Instant level_{};
  Instant level_until_{};
};

}  // namespace evenkeel::scheduling
