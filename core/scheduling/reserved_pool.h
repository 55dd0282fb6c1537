#pragma once

#include <absl/container/btree_map.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/scheduling/reservation.h"
#include "core/scheduling/shared_pool.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// The tasks that are not leased, each reserved for one worker, and for whom each task was first
/// planned. While no worker lives, tasks are orphans; the first worker that comes back gets
/// them. Tasks enter by Plan, Insert and ShareOut, and leave by Take* and Withdraw. Not
/// thread-safe.
class ReservedPool {
 public:
  using Piece = Reservation::Piece;
  using Pieces = std::vector<Piece>;

  /// Costs and places of the context are used; both outlive the pool.
  explicit ReservedPool(const StrategyContext& context);

  /// `listener` is called with a worker after its reservation has changed, except by Take*.
  void OnChange(std::function<void(WorkerId)> listener) { listener_ = std::move(listener); }

  /// Adds `count` living workers with empty reservations.
  void AddWorkers(std::size_t count);
  [[nodiscard]] std::size_t Workers() const { return reserved_.size(); }
  [[nodiscard]] const LiveWorkers& Live() const { return live_; }
  /// Expected or connected, and not lost.
  [[nodiscard]] bool Alive(WorkerId worker) const { return live_.Alive(worker); }
  [[nodiscard]] bool AnyAlive() const { return live_.AnyAlive(); }
  /// The next living worker after `worker` in the order of numbers; itself if there is no other.
  [[nodiscard]] WorkerId NextAlive(WorkerId worker) const { return live_.NextAlive(worker); }
  /// 1 for each living worker, 0 for the others.
  [[nodiscard]] std::vector<double> EqualWeights() const;
  /// The worker is lost. Returns what was reserved for it: ShareOut is to follow.
  [[nodiscard]] Pieces Lose(WorkerId worker);
  /// The worker lives again; it gets the orphans.
  void Revive(WorkerId worker);

  /// Tasks of at least this cost are kept one by one when they are reserved from now on.
  void SetHeavyCost(model::Cost cost);
  /// Reserves a first plan, one part a worker, and remembers it as the plan.
  void Plan(const std::vector<model::RangeSet>& parts);
  /// Plans tasks that are at the node of a living worker for that worker; returns the rest.
  [[nodiscard]] model::RangeSet PlanAtHome(const model::RangeSet& tasks);
  /// Plans an appended range: tasks at a node for its worker, the rest by cost in the ratio of
  /// `weights`, which are 0 for lost workers.
  void PlanMore(model::IndexRange range, const std::vector<double>& weights);
  /// An appended range that is planned for nobody and kept elsewhere.
  void PlanForNobody(model::IndexRange range);
  /// Planned shares of the cost become smaller because this range was appended.
  void Dilute(model::IndexRange appended);

  [[nodiscard]] const Reservation& Of(WorkerId worker) const { return reserved_[worker.value]; }
  void Insert(WorkerId worker, const Pieces& pieces);
  /// Divides the pieces among the living by `weights`, which are 0 for lost workers.
  void ShareOut(const Pieces& pieces, const std::vector<double>& weights);
  /// Reserves for `to` what was taken from `from`, and records a move.
  void Move(WorkerId from, WorkerId to, const Pieces& pieces, Instant at);
  void RecordMove(WorkerId from, WorkerId to, std::int64_t tasks, Instant at);
  /// As the functions of Reservation.
  [[nodiscard]] Pieces TakeNext(WorkerId worker, model::Cost budget, std::int64_t min_tasks,
                                std::int64_t max_tasks);
  [[nodiscard]] std::optional<Piece> TakeLargest(WorkerId worker, model::Cost limit);
  [[nodiscard]] Pieces TakeTail(WorkerId worker, model::Cost budget, std::int32_t max_moves);
  [[nodiscard]] Pieces TakeAll(WorkerId worker);
  /// Removes the tasks of this range, as far as they are here: they were completed.
  void Withdraw(model::IndexRange range);

  [[nodiscard]] std::int64_t Tasks() const;
  [[nodiscard]] bool Contains(model::IndexRange range) const;
  [[nodiscard]] const std::vector<double>& PlannedShares() const { return shares_; }
  [[nodiscard]] Strategy::PlannedRun PlanOf(model::TaskIndex index) const;
  [[nodiscard]] std::vector<Strategy::Move> TakeMoves();

 private:
  [[nodiscard]] Reservation& At(WorkerId worker) { return reserved_[worker.value]; }
  void Changed(WorkerId worker) const {
    if (listener_) listener_(worker);
  }

  const model::CostModel& costs_;
  const TaskPlaces& places_;
  std::function<void(WorkerId)> listener_;
  model::Cost heavy_cost_;
  LiveWorkers live_;
  std::vector<Reservation> reserved_;  // of each worker
  Pieces orphans_;                     // without a reservation, because no worker lives
  // begin of a range -> for whom it was planned, until the next begin
  absl::btree_map<model::TaskIndex, std::optional<WorkerId>> planned_;
  std::vector<double> shares_;
  std::vector<Strategy::Move> moves_;
};

/// Leases all that is reserved for the worker.
void GrantAllReserved(WorkerId worker, ReservedPool& pool, std::vector<Decision>& decisions);

}  // namespace evenkeel::scheduling
