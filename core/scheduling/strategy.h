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
#include "core/model/range_bounds.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"
#include "core/scheduling/data_holders.h"
#include "core/scheduling/lease_view.h"
#include "core/scheduling/node_links.h"
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
/// The worker need not run its copies of these tasks any more: its thread has better work.
struct DropCopiesDecision {
  WorkerId worker;
  model::IndexRange range;
};
/// Tasks reserved for one worker were reserved for another: to be shown and counted.
struct MoveDecision {
  WorkerId from;
  WorkerId to;
  std::int64_t tasks = 0;
};
/// A stage of the strategy, to be shown on the timeline. Replaces what was decided before with the
/// same number and start.
struct StageDecision {
  int number = 0;  ///< from 1; 0 for an interval in which `master` does not compute
  WorkerId master{};
  Instant start{};
  std::optional<Instant> end{};  ///< none while it lasts
};
using Decision = std::variant<GrantDecision, RecallDecision, CopyDecision, DropCopiesDecision,
                              MoveDecision, StageDecision>;

/// How tasks became the strategy's to lease.
enum class TaskOrigin {
  kAppended,   ///< the job has more tasks; they come behind all others, and the costs know them
  kGivenBack,  ///< the worker returned them when asked
  kLost,       ///< the worker is gone or silent
};
struct TasksAvailable {
  model::IndexRange range;
  TaskOrigin origin = TaskOrigin::kAppended;
  WorkerId from{};  ///< the worker that had them leased; of no meaning for appended tasks
};

struct WorkerFacts {
  double ratio = 1.0;  ///< weight relative to the others, >= 0
  std::optional<model::NodePower> power{};
};
enum class WorkerChange {
  kJoined,       ///< a worker that was not expected, with the next number
  kLost,         ///< what is reserved for it is the others'; it may return
  kReturned,     ///< a lost worker is back
  kUpdated,      ///< it connected, reported, or gave tasks back
  kLeased,       ///< a decision of the strategy itself leased tasks to it
  kRecallEnded,  ///< the recall was answered, with tasks or none, or has expired
  kHoldsData,    ///< StrategyContext::holders say of more tasks that it has their data
};
struct WorkerEvent {
  WorkerChange change = WorkerChange::kUpdated;
  WorkerId worker{};
  WorkerFacts facts{};  ///< of a worker that joined
};

/// The inputs of a strategy; all references outlive the strategy.
struct StrategyContext {
  const model::CostModel& costs;
  const TimingEstimator& estimator;
  const LeaseView& leases;
  ReservationLedger& reservations;
  model::BalancingSpec balancing;
  bool idempotent = true;
  /// Expected round trip to a worker; the estimator has the measured one of each.
  Duration round_trip = std::chrono::milliseconds(1);
  /// How often a busy worker reports; a credit window has to be longer.
  Duration report_interval = std::chrono::seconds(1);
  /// Sum of the ratios of the nodes that get no worker, to save energy.
  double left_out_ratio = 0;
  std::uint64_t seed = 1;  ///< for what is drawn
  /// The engine adds what workers have in their caches (WorkerChange::kHoldsData).
  const DataHolders& holders = DataHolders::None();
  const NodeLinks& links = NodeLinks::None();
  /// Bounds of a run, if the job's program does several tasks in one; nothing: one task is one run.
  std::optional<model::RangeBounds> ranges = std::nullopt;
  /// Tasks have data that take time to get, and a worker gets those of tasks that wait while others
  /// run: then one task more than it has threads keeps its link busy.
  bool data_fetched_ahead = false;

  /// The same with other costs.
  [[nodiscard]] StrategyContext With(const model::CostModel& other) const {
    return {other,      estimator,  leases,          reservations,      balancing,
            idempotent, round_trip, report_interval, left_out_ratio,    seed,
            holders,    links,      ranges,          data_fetched_ahead};
  }
  /// Mean cost of a task; 0 without tasks.
  [[nodiscard]] double MeanCost() const {
    return static_cast<double>(costs.Total()) /
           static_cast<double>(std::max<std::int64_t>(costs.TaskCount(), 1));
  }
};

/// A way of sharing out the tasks: decides which worker gets which of the tasks that are neither
/// leased nor withheld nor completed, and when. (Retries of failed tasks are the engine's.) PURE:
/// state and time in, decisions out; never looks at a clock. The engine reports every change and
/// then asks for decisions. Not thread-safe.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Once, before anything else: the expected workers 0..n-1 (n >= 1) and all tasks to be done.
  virtual void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                     Instant now) = 0;
  /// The strategy may lease these tasks from now on.
  virtual void OnTasksAvailable(const TasksAvailable& tasks, Instant now) = 0;
  /// Tasks of the range that the strategy could lease were completed by a late result or withheld.
  virtual void OnTasksTaken(model::IndexRange range) = 0;
  virtual void OnWorkerEvent(const WorkerEvent& event, Instant now) = 0;

  /// The decisions for now. Called after each batch of events until it decides nothing more that
  /// changes leases.
  [[nodiscard]] virtual std::vector<Decision> Decide(Instant now) = 0;
  /// When to ask again at the latest, if nothing happens before; kNever if only events matter.
  [[nodiscard]] virtual Instant NextDecision() const { return kNever; }
  /// When the work will be done as things stand, of a strategy that does not mean to keep all
  /// workers busy to the end; else nothing.
  [[nodiscard]] virtual std::optional<Instant> PredictedEnd(Instant) const { return std::nullopt; }
  /// True if PredictedEnd() takes into account how far unfinished runs are and how long the program
  /// takes to start. It then replaces the prediction by the rates of the workers.
  [[nodiscard]] virtual bool PredictsRuns() const { return false; }
};

using StrategyFactory = std::function<std::unique_ptr<Strategy>(const StrategyContext&)>;

/// Makes the strategy that `context.balancing.strategy` names. The coordinator's factory unless it
/// is given another one; the simulator's also makes techniques (techniques/technique.h).
[[nodiscard]] std::unique_ptr<Strategy> MakeStrategy(const StrategyContext& context);

}  // namespace evenkeel::scheduling
