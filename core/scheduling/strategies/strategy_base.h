#pragma once

#include <absl/container/btree_map.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/reservation.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// Of the strategies that have a master.
inline constexpr WorkerId kMaster{0};

/// What all strategies share: who is alive, what is reserved for whom, for whom it was first
/// planned.
class StrategyBase : public Strategy {
 public:
  void Append(model::IndexRange range, Instant now) override;
  void AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) override;
  void WorkerLost(WorkerId worker, Instant now) override;
  void WorkerBack(WorkerId worker, Instant now) override;
  void Withdraw(model::IndexRange range) override;
  void Touch(WorkerId, Instant) override {}
  void RecallEnded(WorkerId, Instant) override {}
  [[nodiscard]] Instant NextDecision() const override { return kNever; }
  [[nodiscard]] const std::vector<double>& PlannedShares() const override { return shares_; }
  [[nodiscard]] PlannedRun PlanOf(model::TaskIndex index) const override;
  [[nodiscard]] std::vector<Move> TakeMoves() override;
  [[nodiscard]] std::vector<Stage> Stages(Instant) const override { return {}; }
  [[nodiscard]] std::int64_t PoolSize() const override;
  [[nodiscard]] bool PoolContains(model::IndexRange range) const override;

 protected:
  explicit StrategyBase(const StrategyContext& context);

  struct Worker {
    bool alive = true;  ///< expected or connected; false once lost
    Reservation reserved;
  };

  /// Adds `count` workers with empty reservations.
  void AddWorkers(std::size_t count);
  /// Reserves a first plan, one part a worker, and remembers it as such.
  void Plan(const std::vector<model::RangeSet>& parts);
  /// Plans what is at the node of a living worker for that worker; returns the rest.
  [[nodiscard]] model::RangeSet PlanAtHome(const model::RangeSet& tasks);
  /// Plans what was appended: what is at a node for its worker, of the rest parts by cost in the
  /// ratio of `weights`, those of the lost being 0;
  /// while nobody lives, it is kept for who comes back.
  void PlanMore(model::IndexRange range, const std::vector<double>& weights);
  /// Shares of the cost become smaller because this range was appended.
  void Dilute(model::IndexRange appended);
  /// Shares the pieces out among the living by `weights` (one a worker; those of the lost count
  /// nothing); keeps them as orphans while nobody lives.
  void ShareOut(const std::vector<Reservation::Piece>& pieces, const std::vector<double>& weights);
  /// Weights for ShareOut: 1 for everybody.
  [[nodiscard]] std::vector<double> EqualWeights() const;
  /// The next living worker after `worker` in the order of numbers; itself if it is the only one.
  [[nodiscard]] WorkerId NextAlive(WorkerId worker) const;
  [[nodiscard]] bool AnyAlive() const;
  /// The worker that is master and does not compute, if there is one: not with a dedicated
  /// coordinator, nor if nobody else is left who could.
  [[nodiscard]] std::optional<WorkerId> IdleMaster(WorkerId master,
                                                   bool dedicated_coordinator) const {
    const bool alone = NextAlive(master) == master;
    if (dedicated_coordinator || alone) return std::nullopt;
    return master;
  }
  /// Of a task of the job.
  [[nodiscard]] double MeanCost() const {
    return static_cast<double>(context_.costs.Total()) /
           static_cast<double>(std::max<std::int64_t>(context_.costs.TaskCount(), 1));
  }
  [[nodiscard]] bool Usable(WorkerId worker) const {
    return workers_[worker.value].alive && context_.leases.Connected(worker);
  }
  [[nodiscard]] Worker& At(WorkerId worker) { return workers_[worker.value]; }
  [[nodiscard]] const Worker& At(WorkerId worker) const { return workers_[worker.value]; }
  void NoteMove(WorkerId from, WorkerId to, std::int64_t tasks, Instant at);
  /// Called after anything was reserved anew, so that derived indexes can follow.
  virtual void ReservationChanged(WorkerId) {}
  /// Tasks of at least this cost are kept one by one when they are reserved from now on.
  void SetHeavyCost(model::Cost cost);

  StrategyContext context_;
  std::vector<Worker> workers_;

 private:
  model::Cost heavy_cost_;
  std::vector<Reservation::Piece> orphans_;  // reserved for nobody, because nobody lives
  // begin of a range -> for whom, until the next begin
  absl::btree_map<model::TaskIndex, std::optional<WorkerId>> planned_;
  std::vector<double> shares_;
  std::vector<Move> moves_;
};

}  // namespace evenkeel::scheduling
