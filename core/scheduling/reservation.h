#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/model/cost_model.h"
#include "core/model/index_range.h"
#include "core/model/range_set.h"

namespace evenkeel::scheduling {

/// The tasks reserved for one worker. Tasks of at least `heavy_cost` are kept one by one, ordered
/// by cost, and go first, because a large task that starts late outlasts everything; the others are
/// kept as ranges and go in index order, or in the reverse order. Each piece knows how often it was
/// moved. Not thread-safe.
class Reservation {
 public:
  struct Piece {
    model::IndexRange range;
    std::int32_t moves = 0;
  };

  /// `costs` must outlive the reservation. `heavy_cost` > Longest() keeps everything as ranges.
  Reservation(const model::CostModel& costs, model::Cost heavy_cost)
      : costs_(&costs), heavy_cost_(heavy_cost) {}

  /// The order of ranges from now on: from the back, or from the front as at first.
  void SetFromBack(bool from_back) { from_back_ = from_back; }
  /// The tasks whose data are at the worker's node; outlives the reservation. To be called again
  /// when there are more.
  void SetHeld(const model::RangeSet& held);
  /// Tasks here whose data are at the worker's node.
  [[nodiscard]] std::int64_t HeldTasks() const { return held_tasks_; }
  /// For what is inserted from now on; what is here stays as it is kept.
  void SetHeavyCost(model::Cost heavy_cost) { heavy_cost_ = heavy_cost; }

  void Insert(Piece piece);
  /// Takes the indexes of the range out, as far as they are here; returns how many there were.
  std::int64_t Remove(model::IndexRange range);

  /// Takes what should run next: heavy tasks, largest first, then ranges from the front, those
  /// whose data are at the node before the others; tasks until the budget is used up, at least
  /// `min_tasks`, at most `max_tasks`.
  [[nodiscard]] std::vector<Piece> TakeNext(model::Cost budget, std::int64_t min_tasks,
                                            std::int64_t max_tasks);
  /// Cost of the largest task that is kept one by one and costs at most `limit`; 0 if there is
  /// none.
  [[nodiscard]] model::Cost LargestHeavy(model::Cost limit) const;
  /// Takes the largest task (in cost) that costs at most `limit`; among ranges the first task.
  [[nodiscard]] std::optional<Piece> TakeLargest(model::Cost limit);
  /// Takes a short task, if it costs at most `limit`: the last one of the ranges, which have only
  /// tasks that are not heavy; without ranges, the heavy one of least cost.
  [[nodiscard]] std::optional<Piece> TakeShort(model::Cost limit);
  /// Takes tasks of together at most `budget` for another worker, those that would run last here
  /// first, and only such as were moved less than `max_moves` times.
  [[nodiscard]] std::vector<Piece> TakeTail(model::Cost budget, std::int32_t max_moves);
  /// Takes such of these tasks as are here, of together at most `budget` and moved less than
  /// `max_moves` times: of ranges those that would run last first, then the largest heavy ones.
  [[nodiscard]] std::vector<Piece> TakeAmong(const model::RangeSet& tasks, model::Cost budget,
                                             std::int32_t max_moves);
  [[nodiscard]] std::vector<Piece> TakeAll();
  /// The first task of the ranges in their order.
  [[nodiscard]] std::optional<model::TaskIndex> FirstOfRanges() const;
  /// The last one.
  [[nodiscard]] std::optional<model::TaskIndex> LastOfRanges() const;

  [[nodiscard]] bool Empty() const { return tasks_ == 0; }
  [[nodiscard]] std::int64_t Tasks() const { return tasks_; }
  [[nodiscard]] model::Cost CostSum() const { return cost_; }
  [[nodiscard]] bool Contains(model::IndexRange range) const;
  /// Such of these tasks as are here. O(pieces here + ranges of `tasks` within them).
  [[nodiscard]] model::RangeSet Common(const model::RangeSet& tasks) const;
  /// The tasks here that are not among these.
  [[nodiscard]] model::RangeSet Others(const model::RangeSet& tasks) const;

 private:
  struct Tail {
    model::TaskIndex end;
    std::int32_t moves;
  };
  using Heavy = std::pair<model::Cost, model::TaskIndex>;

  [[nodiscard]] std::int64_t HeldOf(model::IndexRange range) const;
  void InsertLight(Piece piece);
  void InsertHeavy(model::TaskIndex index, std::int32_t moves);
  /// The range that goes first, or the one that goes last. There must be one.
  [[nodiscard]] std::map<model::TaskIndex, Tail>::iterator Light(bool first);
  /// The part of the ranges that goes first, which must not be empty: of those whose data are at
  /// the node if there are any.
  [[nodiscard]] model::IndexRange NextLight() const;
  /// The end of `whole` that goes first, or the other one: tasks of at most `budget`.
  [[nodiscard]] model::IndexRange Part(model::IndexRange whole, bool first, model::Cost budget,
                                       std::int64_t least, std::int64_t most) const;
  Piece TakeHeavy(std::set<Heavy>::iterator it);
  /// The task of the ranges that goes first, or last, if it costs at most `limit`.
  std::optional<Piece> TakeOneOfRanges(bool first, model::Cost limit);
  /// Takes [from, to) out of the piece at `it`; the rest stays.
  Piece CutLight(std::map<model::TaskIndex, Tail>::iterator it, model::IndexRange part);
  void TakeLightTail(model::Cost& budget, std::int32_t max_moves, std::vector<Piece>& taken);
  void TakeHeavyTail(model::Cost& budget, std::int32_t max_moves, std::vector<Piece>& taken);

  const model::CostModel* costs_;
  model::Cost heavy_cost_;
  bool from_back_ = false;
  std::map<model::TaskIndex, Tail> light_;  // begin -> end and number of moves
  std::set<Heavy> heavy_;                   // (cost, index)
  std::map<model::TaskIndex, std::int32_t> heavy_moves_;
  std::int64_t tasks_ = 0;
  model::Cost cost_ = 0;
  const model::RangeSet* held_ = nullptr;  // null: no data are at the node
  std::int64_t held_tasks_ = 0;
};

}  // namespace evenkeel::scheduling
