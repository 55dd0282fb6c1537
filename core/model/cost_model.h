#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/model/index_range.h"
#include "core/model/range_set.h"

namespace evenkeel::model {

/// Work units as the workload counts them (divisions, nanoseconds at speed 1, tasks). Never
/// negative.
using Cost = std::int64_t;

/// Limit for costs that are computed as doubles: far above all sums of costs, and within 63 bits.
inline constexpr double kMostCost = 4e18;

/// Costs that a manifest declares, and those that were learned, have this many units per 1.
inline constexpr double kUnitsPerDeclaredCost = 1'000;

/// The costs of the tasks as the scheduler knows them, as prefix sums over the index.
/// Immutable and therefore thread-safe, except for GrowingCosts.
class CostModel {
 public:
  virtual ~CostModel() = default;

  [[nodiscard]] virtual std::int64_t TaskCount() const = 0;
  /// Sum of the costs of tasks [0, index); index in 0..TaskCount(). Does not decrease with index.
  [[nodiscard]] virtual Cost Cumulative(TaskIndex index) const = 0;
  /// The highest cost of a task; 0 without tasks.
  [[nodiscard]] virtual Cost Longest() const = 0;
  /// False if the costs are unknown; then every task counts as 1 unit.
  [[nodiscard]] virtual bool Known() const = 0;

  [[nodiscard]] Cost Total() const { return Cumulative(TaskCount()); }
  [[nodiscard]] Cost Of(const RangeSet& tasks) const {
    Cost cost = 0;
    tasks.ForEach([&](IndexRange range) { cost += Of(range); });
    return cost;
  }
  [[nodiscard]] Cost Of(IndexRange range) const {
    return range.Empty() ? 0 : Cumulative(range.end) - Cumulative(range.begin);
  }
  /// The largest end in [range.begin, range.end] with Of({range.begin, end}) <= budget.
  [[nodiscard]] TaskIndex EndWithin(IndexRange range, Cost budget) const;
  /// The smallest begin in [range.begin, range.end] with Of({begin, range.end}) <= budget.
  [[nodiscard]] TaskIndex BeginWithin(IndexRange range, Cost budget) const;
};

/// Unknown costs: every task counts as one unit. O(1) memory.
class UnitCosts final : public CostModel {
 public:
  explicit UnitCosts(std::int64_t task_count) : task_count_(task_count) {}
  [[nodiscard]] std::int64_t TaskCount() const override { return task_count_; }
  [[nodiscard]] Cost Cumulative(TaskIndex index) const override { return index; }
  [[nodiscard]] Cost Longest() const override { return task_count_ > 0 ? 1 : 0; }
  [[nodiscard]] bool Known() const override { return false; }

 private:
  std::int64_t task_count_;
};

/// Known costs of every task; 8 bytes per task.
class PrefixCosts final : public CostModel {
 public:
  /// `costs[i]` is the cost of task i, not negative; their sum must fit into 63 bits.
  explicit PrefixCosts(const std::vector<Cost>& costs);
  [[nodiscard]] std::int64_t TaskCount() const override {
    return static_cast<std::int64_t>(prefix_.size()) - 1;
  }
  [[nodiscard]] Cost Cumulative(TaskIndex index) const override {
    return prefix_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Cost Longest() const override { return longest_; }
  [[nodiscard]] bool Known() const override { return true; }

 private:
  std::vector<Cost> prefix_;
  Cost longest_ = 0;
};

/// The costs of a job to which tasks may be added: every holder of this object sees the new tasks.
/// Not thread-safe.
class GrowingCosts final : public CostModel {
 public:
  explicit GrowingCosts(std::shared_ptr<const CostModel> costs) : costs_(std::move(costs)) {}
  /// Appends the tasks of `costs`, which covers all tasks, after the present ones. Costs of the
  /// present tasks never change, because sums of them are in use: where `costs` has others, e.g.
  /// the new size of a file, they stay as they are. Tasks count as 1 unit if costs were unknown,
  /// and as much as the mean of the present ones if only those of the appended tasks are unknown.
  void GrowTo(std::shared_ptr<const CostModel> costs);
  [[nodiscard]] std::int64_t TaskCount() const override { return costs_->TaskCount(); }
  [[nodiscard]] Cost Cumulative(TaskIndex index) const override {
    return costs_->Cumulative(index);
  }
  [[nodiscard]] Cost Longest() const override { return costs_->Longest(); }
  [[nodiscard]] bool Known() const override { return costs_->Known(); }

 private:
  std::shared_ptr<const CostModel> costs_;
};

}  // namespace evenkeel::model
