#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/scheduling/energy/balancing_goal.h"
#include "core/scheduling/strategies/finish_index.h"
#include "core/scheduling/strategies/strategy_base.h"

namespace evenkeel::scheduling {

/// Our default. Weighted decomposition of the cost into reserved ranges; each worker is leased a
/// credit window only; a worker that will run dry is given, ahead of need, part of the reservation
/// of the worker with the latest predicted finish, so much that both finish together; when nothing
/// is reserved any more, leased work is asked back; last of all idle workers run copies.
/// docs/tail-stealing.md tells the whole story. Decisions are O(log workers), but for the last few
/// tasks of a job, where a decision may look at all workers.
class TailStealing final : public StrategyBase {
 public:
  explicit TailStealing(const StrategyContext& context);

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void Append(model::IndexRange range, Instant now) override;
  void AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) override;
  void WorkerLost(WorkerId worker, Instant now) override;
  void WorkerBack(WorkerId worker, Instant now) override;
  void Return(WorkerId from, model::IndexRange range, ReturnCause cause, Instant now) override;
  void Touch(WorkerId worker, Instant now) override;
  void RecallEnded(WorkerId worker, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;
  [[nodiscard]] Instant NextDecision() const override { return next_decision_; }
  [[nodiscard]] std::optional<Instant> PredictedEnd(Instant now) const override;

 protected:
  void ReservationChanged(WorkerId worker) override;

 private:
  /// Which tasks are kept one by one when `tasks` are reserved for this many workers.
  void ChooseHeavy(std::int64_t tasks, std::size_t workers);
  /// By what the living are worth now, for sharing out so much.
  [[nodiscard]] std::vector<double> LivingWeights(double cost) const;

  struct State {
    bool dirty = false;
    bool idle = false;               ///< wants work and got none
    bool recalled = false;           ///< a recall is under way
    bool stuck = false;              ///< was found at a task that is much dearer than others
    std::optional<WorkerId> thief;   ///< for whom it was asked to give back
    bool gave_back = false;          ///< since it was last asked
    std::int64_t barren_tasks = -1;  ///< it gave nothing back when it had so many tasks leased
    model::Cost known_reserved = 0;  ///< its part of pool_cost_
    std::int64_t known_tasks = 0;
    double known_rate = 0;  ///< its part of rate_sum_
  };

  // Predictions.
  [[nodiscard]] double RateNow(WorkerId worker) const;
  [[nodiscard]] Instant Ready(WorkerId worker, Instant now) const;
  /// When what is reserved for it will be done, too, if its leases will be at `ready`.
  [[nodiscard]] Instant FinishAfter(WorkerId worker, Instant ready) const;
  [[nodiscard]] Instant Finish(WorkerId worker, Instant now) const {
    return FinishAfter(worker, Ready(worker, now));
  }
  /// The worker, and when it will be through with what it has.
  [[nodiscard]] BalancingGoal::Party PartyOf(WorkerId worker, Instant finish) const;
  /// One with reserved tasks, whose finish was last `indexed` so.
  [[nodiscard]] BalancingGoal::Party VictimOf(WorkerId worker, Instant indexed, Instant now) const;
  [[nodiscard]] Duration TaskTime(WorkerId worker) const;
  [[nodiscard]] Duration PoolTime() const;
  void Reindex(WorkerId worker, Instant now);

  // One step of a worker's supply; each returns true if it decided something.
  void Supply(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  [[nodiscard]] bool WantsMore(WorkerId worker, Instant now) const;
  bool GrantWindow(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  bool GrantLastTasks(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  /// Work may move, and from one worker to another without anything that takes time.
  [[nodiscard]] bool MovesInNoTime() const {
    return context_.balancing.tail_stealing.stealing && !context_.places.HasLinks();
  }
  /// Where tasks take time to get from one worker to another: has them come before the worker runs
  /// dry, so many that both are through together.
  void FetchAhead(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  /// How long the link from there carries what the worker has fetched, by reckoning.
  [[nodiscard]] Duration LinkBusy(WorkerId worker, WorkerId from, Instant now) const;
  /// Cost that the link carries within the worker's window beside what it carries already.
  [[nodiscard]] double CostInWindow(WorkerId worker, WorkerId from, double link_speed,
                                    Instant now) const;
  /// Cost that would make the worker and the other one be through together; 0 while the link has
  /// enough to carry.
  [[nodiscard]] double CostToFetch(WorkerId worker, WorkerId from, double link_speed,
                                   Instant now) const;
  /// `ahead`: though the thief still has work.
  bool StealReserved(WorkerId thief, Instant now, bool ahead);
  /// Reserves for the thief what was taken from the victim.
  void MoveReserved(WorkerId victim, WorkerId thief, const std::vector<Reservation::Piece>& pieces,
                    Instant now);
  bool StealOneFor(WorkerId thief, model::Cost limit, Instant now);
  bool RecallLeased(WorkerId thief, Instant now, std::vector<Decision>& decisions);
  bool CopyLeased(WorkerId idle, Instant now, std::vector<Decision>& decisions);
  /// A busy worker runs a copy, too, of a task that goes on for so long that it would outlast all.
  bool CopyStuck(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  /// For how long the worker has been at a task that is dear by now; nothing if it is not.
  [[nodiscard]] std::optional<Duration> StuckFor(WorkerId worker, Instant now) const;
  /// Notes it, and asks it to give back what waits behind such a task.
  void NoteIfStuck(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  [[nodiscard]] std::optional<WorkerId> LongestStuck(Instant now);
  [[nodiscard]] double FastestThreadRate(Instant now);

  [[nodiscard]] bool LastTasks(WorkerId worker) const;
  [[nodiscard]] Instant Level(Instant now);
  [[nodiscard]] bool NobodyWorks() const;
  /// For how long it is to have work ahead of need.
  [[nodiscard]] Duration Window(WorkerId worker) const;
  /// Leased tasks that it is to have, however long they take.
  [[nodiscard]] std::int64_t LeastAtHand(WorkerId worker) const;
  void Grant(WorkerId worker, const std::vector<Reservation::Piece>& pieces,
             std::vector<Decision>& decisions);
  void PlanNextDecision(Instant now);

  std::unique_ptr<BalancingGoal> goal_;
  std::vector<State> states_;
  std::deque<WorkerId> dirty_;
  FinishIndex finish_;         // of workers with reserved tasks: when they will be through
  FinishIndex ready_;          // of workers with leased tasks: when they will run dry
  std::deque<WorkerId> idle_;  // those with State::idle
  model::Cost pool_cost_ = 0;  // of all reserved tasks
  std::int64_t pool_tasks_ = 0;
  double rate_sum_ = 0;         // of the connected workers
  std::deque<WorkerId> stuck_;  // those with State::stuck
  double fastest_ = 0;          // thread of all, as last looked for
  Instant fastest_until_{};
  // When the tasks that were fetched have all come, by reckoning: from, to.
  std::map<std::pair<WorkerId, WorkerId>, Instant> link_busy_;
  model::RangeSet just_copied_;  // in this round of decisions
  Instant now_{};                // of the latest call
  Instant next_decision_ = kNever;
  Instant level_{};  // the latest finish level, used again for a while with many workers
  Instant level_until_{};
};

}  // namespace evenkeel::scheduling
