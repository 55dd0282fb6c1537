#pragma once

#include <cstdint>

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
  /// that both finish together. `ahead`: the thief still has work.
  bool StealRange(WorkerId thief, Instant now, bool ahead);
  /// Takes up to `count` tasks for the worker, of its own reservation or stolen, that it can end
  /// before the job could end without it. `any_length`: however long they take.
  [[nodiscard]] ReservedPool::Pieces TakeLastTasks(WorkerId worker, std::int64_t count,
                                                   bool any_length, Instant now);

 private:
  /// Work may move, and a move takes no time.
  [[nodiscard]] bool MovesInNoTime() const {
    return context_.balancing.tail_stealing.stealing && !context_.places.HasLinks();
  }
  /// A worker with reserved tasks whose finish was last indexed as `indexed`.
  [[nodiscard]] BalancingGoal::Party VictimOf(WorkerId worker, Instant indexed, Instant now) const;
  /// The largest cost of a task that the worker may take as one of the last.
  [[nodiscard]] model::Cost CostLimit(WorkerId worker, bool any_length, Instant now);
  bool StealTask(WorkerId thief, model::Cost limit, Instant now);

  const StrategyContext& context_;
  ReservedPool& pool_;
  FinishPredictor& predictor_;
  const BalancingGoal& goal_;
};

}  // namespace evenkeel::scheduling
