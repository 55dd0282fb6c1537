#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/time.h"
#include "core/model/cost_model.h"
#include "core/model/job_spec.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"
#include "core/scheduling/lease_view.h"
#include "core/scheduling/task_places.h"
#include "core/scheduling/timing_estimator.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// Lease this range to that worker; it must be the strategy's to give.
struct GrantDecision {
  WorkerId worker;
  model::IndexRange range;
};
/// Ask the worker for up to `max_tasks` leased tasks that it has not started, last ones first.
struct RecallDecision {
  WorkerId worker;
  std::int64_t max_tasks;
  std::optional<WorkerId> thief{};  ///< the worker that is to get them, if it is known
};
/// Let the worker run a speculative copy of tasks leased to another worker.
struct CopyDecision {
  WorkerId worker;
  model::IndexRange range;
};
using Decision = std::variant<GrantDecision, RecallDecision, CopyDecision>;

/// Why tasks come back to the strategy.
enum class ReturnCause {
  kGivenBack,  ///< the worker returned them when asked
  kLost,       ///< the worker is gone or silent
};

/// The inputs of a strategy; all references outlive the strategy.
struct StrategyContext {
  const model::CostModel& costs;
  const TimingEstimator& estimator;
  const LeaseView& leases;
  model::BalancingSpec balancing;
  bool idempotent = true;
  /// Expected round trip to a worker; the estimator has the measured one of each.
  Duration round_trip = std::chrono::milliseconds(1);
  /// How often a busy worker reports; a credit window has to be longer.
  Duration report_interval = std::chrono::seconds(1);
  /// Sum of the ratios of the nodes that get no worker, to save energy.
  double left_out_ratio = 0;
  std::uint64_t seed = 1;  ///< for what is drawn
  const TaskPlaces& places = TaskPlaces::Unknown();

  /// Mean cost of a task; 0 without tasks.
  [[nodiscard]] double MeanCost() const {
    return static_cast<double>(costs.Total()) /
           static_cast<double>(std::max<std::int64_t>(costs.TaskCount(), 1));
  }
};

struct WorkerFacts {
  double ratio = 1.0;  ///< weight relative to the others, >= 0
  std::optional<model::NodePower> power{};
};

/// A way of sharing out the tasks. Owns all tasks that are neither leased nor completed and have
/// not failed yet, and decides who gets them when (where a task is tried again is the engine's to
/// say). PURE: state and time in, decisions out; never looks at a clock. The engine tells it of
/// every change and then asks for decisions. Not thread-safe.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Once, before anything else: the expected workers 0..n-1 (n >= 1) and all tasks to be done.
  virtual void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                     Instant now) = 0;
  /// The job has more tasks, and these are the strategy's now: they come behind all others, and the
  /// costs of the context know them already.
  virtual void Append(model::IndexRange range, Instant now) = 0;
  /// Worker `worker` (the next number) joins; it was not expected.
  virtual void AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) = 0;
  /// The worker is lost: what is reserved for it is the others'. It may come back (WorkerBack).
  virtual void WorkerLost(WorkerId worker, Instant now) = 0;
  virtual void WorkerBack(WorkerId worker, Instant now) = 0;
  /// Tasks that were leased to `from` are the strategy's again.
  virtual void Return(WorkerId from, model::IndexRange range, ReturnCause cause, Instant now) = 0;
  /// Tasks in the strategy's hands were completed, by a late result.
  virtual void Withdraw(model::IndexRange range) = 0;
  /// Something changed at this worker: it connected, reported, was granted to, gave back.
  virtual void Touch(WorkerId, Instant) {}
  /// The recall was answered (with something or nothing) or has lapsed.
  virtual void RecallEnded(WorkerId, Instant) {}

  /// The decisions for now. Called after each batch of events until it returns none.
  [[nodiscard]] virtual std::vector<Decision> Decide(Instant now) = 0;
  /// When to ask again at the latest, if nothing happens before; kNever if only events matter.
  [[nodiscard]] virtual Instant NextDecision() const { return kNever; }
  /// When the work will be done as things stand, of a strategy that does not mean to keep all
  /// workers busy to the end; else nothing.
  [[nodiscard]] virtual std::optional<Instant> PredictedEnd(Instant) const { return std::nullopt; }

  /// Share of the cost first planned for each worker, 0..1, with what was appended; 0 for all
  /// if the strategy plans nothing.
  [[nodiscard]] virtual const std::vector<double>& PlannedShares() const = 0;
  /// The worker for which a task was first planned, if any; the same is true of all
  /// tasks up to `until`.
  struct PlannedRun {
    std::optional<WorkerId> worker;
    model::TaskIndex until = 0;
  };
  [[nodiscard]] virtual PlannedRun PlanOf(model::TaskIndex) const {
    return {std::nullopt, std::numeric_limits<model::TaskIndex>::max()};
  }
  /// Moves of reserved ranges since the last call: from, to, number of tasks.
  struct Move {
    WorkerId from;
    WorkerId to;
    std::int64_t tasks = 0;
    Instant at{};
  };
  [[nodiscard]] virtual std::vector<Move> TakeMoves() { return {}; }
  /// Stages and masters to be shown, as intervals; the open one, if any, ends at `now`.
  struct Stage {
    int number = 0;  ///< 0 for an interval in which `master` does not compute
    WorkerId master{};
    Instant start{};
    Instant end{};
  };
  [[nodiscard]] virtual std::vector<Stage> Stages(Instant) const { return {}; }
  /// Tasks in the strategy's hands; for the engine's own checks.
  [[nodiscard]] virtual std::int64_t PoolSize() const = 0;
  [[nodiscard]] virtual bool PoolContains(model::IndexRange range) const = 0;
};

using StrategyFactory = std::function<std::unique_ptr<Strategy>(const StrategyContext&)>;

/// Makes the strategy that `context.balancing.strategy` names. The coordinator's factory unless it
/// is given another one; the simulator's also makes techniques (techniques/technique.h).
[[nodiscard]] std::unique_ptr<Strategy> MakeStrategy(const StrategyContext& context);

}  // namespace evenkeel::scheduling
