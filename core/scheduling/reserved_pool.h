#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/scheduling/reservation.h"
#include "core/scheduling/shared_pool.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// The order in which the tasks reserved for each worker are leased or moved. Enters reservations
/// in the ledger of the context. While no worker lives, tasks are orphans without a reservation;
/// the first worker that comes back gets them. Tasks enter by Plan, Append, Insert, ShareOut and
/// Move, and leave by Take* and Withdraw; what was taken stays reserved until it is leased, moved
/// or unreserved. Not thread-safe.
class ReservedPool {
 public:
  using Piece = Reservation::Piece;
  using Pieces = std::vector<Piece>;

  /// Costs, data holders and reservations of the context are used; all outlive the pool.
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
  /// A worker that was not expected, with the next number; it gets the orphans.
  void Join(WorkerId worker);
  /// The worker is lost; what was reserved for it is divided equally among the others.
  void LoseAndShareOut(WorkerId worker);
  /// The worker is lost. Returns what was reserved for it: ShareOut is to follow.
  [[nodiscard]] Pieces Lose(WorkerId worker);
  /// A worker joined, was lost or returned; other events do not matter. Reservations of a lost
  /// worker are divided equally.
  void Apply(const WorkerEvent& event);
  /// Expected or connected, not lost, and connected now.
  [[nodiscard]] bool Usable(WorkerId worker, const LeaseView& leases) const {
    return Alive(worker) && leases.Connected(worker);
  }
  /// The worker lives again; it gets the orphans.
  void Revive(WorkerId worker);

  /// Whether ranges go from the back from now on, of all workers.
  void SetFromBack(bool from_back);
  [[nodiscard]] bool FromBack() const { return from_back_; }
  /// Tasks of at least this cost are kept one by one when they are reserved from now on.
  void SetHeavyCost(model::Cost cost);
  /// The costs of tasks have changed: sums and orders are made anew, all as ranges.
  void Recount();
  /// Reserves one part for each worker.
  void Plan(const std::vector<model::RangeSet>& parts);
  /// Reserves tasks by cost and weights, heavy ones the largest first.
  void PlanByCost(const model::RangeSet& tasks, const std::vector<double>& weights);
  /// Reserves tasks whose data are at the node of a living worker for that worker, the first one of
  /// several; returns the rest.
  [[nodiscard]] model::RangeSet PlanByHolders(const model::RangeSet& tasks);
  /// Reserves an appended range: tasks whose data are at a node for its worker, the rest by cost in
  /// the ratio of `weights`, which are 0 for lost workers.
  void Append(model::IndexRange range, const std::vector<double>& weights);

  /// The worker turned out to have data of more tasks. It gets those that are reserved for others
  /// for tasks of the same cost whose data it does not have. Shares stay as large as they are.
  void GatherHeld(WorkerId worker);

  [[nodiscard]] const Reservation& Of(WorkerId worker) const { return reserved_[worker.value]; }
  void Insert(WorkerId worker, const Pieces& pieces);
  /// Tasks that were leased to `from` are reserved for the next living worker; without one they are
  /// orphans.
  void InsertAtNext(WorkerId from, model::IndexRange range);
  /// Tasks that are not reserved wait for the first worker that lives.
  void AddOrphan(model::IndexRange range) { orphans_.push_back({range, 0}); }
  /// Divides the pieces among the living by `weights`, which are 0 for lost workers.
  void ShareOut(const Pieces& pieces, const std::vector<double>& weights);
  /// Reserves for `to` what was taken from `from`, and records a move.
  void Move(WorkerId from, WorkerId to, const Pieces& pieces);
  /// The same for pieces that are leased to `to` at once or inserted by the caller.
  void RecordMove(WorkerId from, WorkerId to, const Pieces& pieces);
  /// Adds the moves since the last call.
  void TakeMoves(std::vector<Decision>& decisions);
  /// As the functions of Reservation. Of ranges, tasks whose data the worker has go first: others
  /// may take over the rest.
  [[nodiscard]] Pieces TakeNext(WorkerId worker, model::Cost budget, std::int64_t min_tasks,
                                std::int64_t max_tasks);
  [[nodiscard]] std::optional<Piece> TakeLargest(WorkerId worker, model::Cost limit);
  [[nodiscard]] std::optional<Piece> TakeShort(WorkerId worker, model::Cost limit);
  [[nodiscard]] Pieces TakeTail(WorkerId worker, model::Cost budget, std::int32_t max_moves);
  /// The same for this thief: tasks whose data it has come first, and those whose data the victim
  /// has come last.
  [[nodiscard]] Pieces TakeTailFor(WorkerId thief, WorkerId victim, model::Cost budget,
                                   std::int32_t max_moves);
  /// As TakeLargest. If costs are unknown, takes a task first whose data the thief has.
  [[nodiscard]] std::optional<Piece> TakeLargestFor(WorkerId thief, WorkerId victim,
                                                    model::Cost limit);
  [[nodiscard]] Pieces TakeAll(WorkerId worker);
  /// Takes all tasks of the worker and ends their reservation.
  [[nodiscard]] Pieces UnreserveAll(WorkerId worker);
  /// Removes the tasks of this range, as far as they are here: they were completed.
  void Withdraw(model::IndexRange range);

  [[nodiscard]] std::int64_t Tasks() const;
  [[nodiscard]] bool Contains(model::IndexRange range) const;

 private:
  [[nodiscard]] Reservation& At(WorkerId worker) { return reserved_[worker.value]; }
  [[nodiscard]] model::Cost CostOf(const Pieces& pieces) const;
  void Reserve(WorkerId worker, const Piece& piece);
  void Changed(WorkerId worker) const {
    if (listener_) listener_(worker);
  }

  const model::CostModel& costs_;
  const DataHolders& holders_;
  ReservationLedger& ledger_;
  std::function<void(WorkerId)> listener_;
  model::Cost heavy_cost_;
  bool from_back_ = false;
  LiveWorkers live_;
  std::vector<Reservation> reserved_;  // of each worker
  Pieces orphans_;                     // without a reservation, because no worker lives
  std::vector<MoveDecision> moves_;
};

/// Leases all that is reserved for the worker.
void GrantAllReserved(WorkerId worker, ReservedPool& pool, std::vector<Decision>& decisions);

}  // namespace evenkeel::scheduling
