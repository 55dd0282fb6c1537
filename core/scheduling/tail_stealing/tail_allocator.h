#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/tail_stealing/finish_predictor.h"

namespace evenkeel::scheduling {

/// Moves reserved tasks from workers with late predicted finishes to others (steals), and hands out
/// the last tasks one by one. The goal says who may take how much. A decision looks at up to 16
/// victims. Has no state of its own.
class TailAllocator {
 public:
  /// The arguments outlive the allocator.
  TailAllocator(const StrategyContext& context, ReservedPool& pool, FinishPredictor& predictor,
                const BalancingGoal& goal)
      : context_(context), pool_(pool), predictor_(predictor), goal_(goal) {}

  /// So few tasks are reserved that they go out one by one.
  [[nodiscard]] bool LastTasks(WorkerId worker) const;
  /// Reserves for the thief part of the reservation of the worker with the latest finish, so much
  /// that both finish together. `ahead`: no more than the goal moves to a worker that still has
  /// work.
  bool StealRange(WorkerId thief, Instant now, bool ahead);
  /// Where costs are known: the worker with the latest finish has a larger task reserved than this
  /// one, which should go first.
  [[nodiscard]] bool LargerTaskWaitsElsewhere(WorkerId worker) const;
  /// Before any rate is known, while few tasks are reserved: reserves for an idle worker a task of
  /// at most the mean cost that would have to wait for a thread of its own worker. The weights do
  /// not matter: if the idle worker turns out to be slow, a faster worker runs a copy. So this
  /// needs unlimited copies.
  bool StealWaiting(WorkerId thief);
  /// A first task of little cost, where costs are known, for a worker whose speed is not: the
  /// largest tasks come behind it, and stay only if the worker is fast enough for them.
  [[nodiscard]] std::optional<ReservedPool::Piece> TakeProbe(WorkerId worker, Instant now);
  /// Takes up to `count` tasks for the worker, of its own reservation or stolen, that it can end
  /// before the job could end without it. `any_length`: however long they take. If every task may
  /// be copied, it takes longer ones as well: a faster worker that is idle later runs a copy.
  [[nodiscard]] ReservedPool::Pieces TakeLastTasks(WorkerId worker, std::int64_t count,
                                                   bool any_length, Instant now);
  /// Takes a task for the worker, as above, that it starts behind those that it runs, and ends
  /// before the job could end without it.
  [[nodiscard]] std::optional<ReservedPool::Piece> TakeLastTaskAhead(WorkerId worker, Instant now);

 private:
  [[nodiscard]] bool Stealing() const { return context_.balancing.tail_stealing.stealing; }
  /// A worker with reserved tasks whose finish was last indexed as `indexed`.
  [[nodiscard]] BalancingGoal::Party VictimOf(WorkerId worker, Instant indexed, Instant now) const;
  /// The largest cost of a task that the worker may take as one of the last.
  [[nodiscard]] model::Cost CostLimit(WorkerId worker, bool any_length, Instant now);
  /// Time that the worker has for one of the last tasks, which it starts when a thread is idle.
  [[nodiscard]] Duration TimeLeft(WorkerId worker, Instant now);
  /// One of the last tasks where times go with the index: of all reserved ones the one that should
  /// take longest, or if the worker has no time for that, the one that should be the shortest.
  [[nodiscard]] std::optional<ReservedPool::Piece> TakeByTrend(WorkerId worker, bool any_length,
                                                               Instant now);
  /// Copies are not bounded: a faster worker can run any task of a slow one again.
  [[nodiscard]] bool EveryTaskMayBeCopied() const;
  /// One task for TakeLastTasks.
  [[nodiscard]] std::optional<ReservedPool::Piece> TakeLastTask(WorkerId worker, bool any_length,
                                                                Instant now);
  /// The last tasks of all workers go in one order.
  [[nodiscard]] bool MayOrderAll() const;
  /// Moves the largest task of at most `limit` from the first worker that may give one, latest
  /// finish first. `may_give`: predicate of a FinishIndex::Entry.
  template <typename Allowed>
  bool MoveTask(WorkerId thief, model::Cost limit, const Allowed& may_give);
  bool StealTask(WorkerId thief, model::Cost limit, Instant now);
  /// The largest of all reserved tasks of at most `limit`, for the worker; if costs are not known,
  /// the first in the order of indexes. Nothing with many workers.
  [[nodiscard]] std::optional<ReservedPool::Piece> TakeFirstOfAll(WorkerId worker,
                                                                  model::Cost limit, Instant now);
  /// The same, or the largest of its own or of another's.
  [[nodiscard]] std::optional<ReservedPool::Piece> TakeLargest(WorkerId worker, model::Cost limit,
                                                               Instant now);
  /// For which worker the largest task of at most `limit` is reserved.
  [[nodiscard]] std::optional<WorkerId> WithLargest(model::Cost limit) const;
  /// For which worker the task is reserved that goes first by the order of indexes, or last.
  [[nodiscard]] std::optional<WorkerId> WithIndexed(bool first) const;
  /// Takes what was reserved for another worker for this one.
  void NoteTaken(WorkerId from, WorkerId to, const ReservedPool::Piece& piece, Instant now);

  const StrategyContext& context_;
  ReservedPool& pool_;
  FinishPredictor& predictor_;
  const BalancingGoal& goal_;
};

/// Recalls of leased tasks: from which worker, and for which thief. At most one recall per worker
/// is under way. Not thread-safe.
class LeaseRecall {
 public:
  /// The arguments outlive this.
  LeaseRecall(const StrategyContext& context, const FinishPredictor& predictor,
              const BalancingGoal& goal)
      : context_(context), predictor_(predictor), goal_(goal) {}

  void AddWorkers(std::size_t count) { states_.resize(states_.size() + count); }
  /// Recalls tasks for an idle worker, so many that both finish together, from the first of the
  /// workers with the latest predicted time that may give any. Looks at up to 8 workers.
  [[nodiscard]] std::optional<RecallDecision> RecallFor(WorkerId thief, Instant now);
  /// Recalls all tasks that the worker has not started. Nothing if it has none or a recall is under
  /// way.
  [[nodiscard]] std::optional<RecallDecision> RecallAll(WorkerId worker);
  /// The worker gave tasks back.
  void GaveBack(WorkerId worker) { states_[worker.value].gave_back = true; }
  /// The recall was answered or has expired. Returns the worker it was for.
  std::optional<WorkerId> Ended(WorkerId worker);
  /// The worker that gets the recalled tasks.
  [[nodiscard]] std::optional<WorkerId> ThiefOf(WorkerId worker) const {
    return states_[worker.value].thief;
  }

 private:
  struct State {
    bool recalled = false;                     ///< a recall is under way
    std::optional<WorkerId> thief;             ///< for whom
    bool gave_back = false;                    ///< since it was last asked
    std::int64_t tasks_at_failed_recall = -1;  ///< it gave nothing back when it had so many leased
  };

  /// Leased tasks that no thread runs.
  [[nodiscard]] std::int64_t Waiting(WorkerId worker) const;
  RecallDecision Ask(WorkerId worker, std::int64_t tasks, std::optional<WorkerId> thief);

  const StrategyContext& context_;
  const FinishPredictor& predictor_;
  const BalancingGoal& goal_;
  std::vector<State> states_;
};

}  // namespace evenkeel::scheduling
