#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "core/scheduling/costs_in_use.h"
#include "core/scheduling/energy/balancing_goal.h"
#include "core/scheduling/reserved_pool.h"
#include "core/scheduling/tail_stealing/credit_window.h"
#include "core/scheduling/tail_stealing/finish_predictor.h"
#include "core/scheduling/tail_stealing/medium_shares.h"
#include "core/scheduling/tail_stealing/straggler_detector.h"
#include "core/scheduling/tail_stealing/tail_allocator.h"

namespace evenkeel::scheduling {

/// The default strategy. Reserves ranges by weight and cost for all workers and leases each worker
/// a credit window only. A worker that will run dry gets part of the reservation of the worker with
/// the latest predicted finish, so much that both finish together. When nothing is reserved any
/// more, unstarted leased tasks are recalled; last, idle workers run speculative copies. See
/// docs/tail-stealing.md. A decision is O(log workers), except for the last few tasks of a job,
/// where it may look at all workers.
class TailStealing final : public Strategy {
 public:
  explicit TailStealing(const StrategyContext& context);

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;
  [[nodiscard]] Instant NextDecision() const override { return next_decision_; }
  [[nodiscard]] std::optional<Instant> PredictedEnd(Instant now) const override;

 private:
  struct State {
    bool queued = false;  ///< in to_supply_
    bool idle = false;    ///< in idle_
    /// Its waiting tasks were recalled. Nothing is leased ahead of need until a thread is idle, so
    /// that tasks do not go back and forth.
    bool called_back = false;
    bool first_task_watched = false;  ///< in first_tasks_
    bool held = false;                ///< in held_
    /// It turned out to have data of tasks while it has others leased.
    bool leases_to_check = false;
  };

  void Append(model::IndexRange range);
  void Return(const TasksAvailable& tasks);
  void Join(WorkerId worker, const WorkerFacts& facts);
  void Lose(WorkerId worker);
  void EndRecall(WorkerId worker);
  /// The worker is supplied in the next call of Decide.
  void Touch(WorkerId worker);
  [[nodiscard]] bool Usable(WorkerId worker) const { return pool_.Usable(worker, context_.leases); }
  void AddWorkers(std::size_t count);
  /// Chooses which tasks are kept one by one when `tasks` are reserved for this many workers.
  void ChooseHeavy(std::int64_t tasks, std::size_t workers);
  /// Weights of the living workers for sharing out so much cost.
  [[nodiscard]] std::vector<double> LivingWeights(double cost) const;
  /// If appended tasks wait for a thread, drops copies that are not expected to save anything.
  void MakeRoomForFirstRuns(Instant now, std::vector<Decision>& decisions);
  /// Costs that the estimator does not use any more do not count here, either.
  void DropUselessCosts(Instant now);
  /// Tasks of unknown cost go in the order of their indexes, from the end where they take longer.
  void PutLongestFirst();
  /// Before the first measurement, predicted times are in an unknown unit, and each measured worker
  /// says something of those that are not measured: predicts all anew whenever twice as many are.
  void PredictByNewRates(Instant now);
  /// Takes account of what transfers to some workers cost the others.
  void ShareMedium(Instant now);
  /// Workers whose leases should have ended by now: predicts again, and looks for stragglers.
  void CheckOverdue(Instant now, std::vector<Decision>& decisions);
  /// Recalls waiting tasks if the worker has the data of others that are reserved for it.
  void CheckLeases(WorkerId worker, std::vector<Decision>& decisions);
  /// Recalls the tasks that the worker has not started. It gets nothing ahead of need for now.
  void RecallWaiting(WorkerId worker, std::vector<Decision>& decisions);
  void RetryIdle(Instant now);
  /// The worker is supplied again whenever the tasks behind its first one are to be checked.
  void WatchFirstTask(WorkerId worker);
  void CheckFirstTasks(Instant now);

  /// Decides what the worker gets, if it wants more work.
  void Supply(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  [[nodiscard]] bool HasIdleThread(WorkerId worker) const;
  /// One of the last tasks may wait at the worker, so that its data come while others run.
  [[nodiscard]] bool MayFetchLastTask(WorkerId worker) const;
  [[nodiscard]] bool WantsMore(WorkerId worker, Instant now) const;
  // Each returns whether it decided something.
  bool GrantWindow(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  bool GrantLastTasks(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  bool HelpOthers(WorkerId idle, Instant now, std::vector<Decision>& decisions);
  void PlanNextDecision(Instant now);

  CostsInUse costs_;
  StrategyContext context_;  // with costs_
  ReservedPool pool_;
  std::unique_ptr<BalancingGoal> goal_;
  MediumShares medium_;
  FinishPredictor predictor_;
  CreditWindow window_;
  TailAllocator allocator_;
  StragglerDetector stragglers_;
  LeaseRecall recall_;
  std::vector<State> states_;
  std::deque<WorkerId> to_supply_;
  std::deque<WorkerId> idle_;    // want work and got none
  Instant retried_at_ = kNever;  // the last retry of idle workers, if nothing happened since
  /// When a worker is to be supplied again.
  struct Timer {
    Instant at{};
    WorkerId worker{};
    bool operator>(const Timer& other) const {
      return at != other.at ? at > other.at : worker.value > other.worker.value;
    }
  };
  using TimerQueue = std::priority_queue<Timer, std::vector<Timer>, std::greater<>>;
  TimerQueue first_tasks_;               // when the tasks behind a first one are to be checked
  TimerQueue held_;                      // by the limits of medium_
  std::size_t measured_to_predict_ = 1;  // workers, for the next PredictByNewRates
  bool tasks_appended_ = false;          // since the last Decide
  Instant now_{};                        // of the latest call
  Instant next_decision_ = kNever;
};

}  // namespace evenkeel::scheduling
