#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/base/time.h"
#include "core/model/index_range.h"

namespace evenkeel::workloads::synthetic {

/// No task takes longer than a day at speed 1.
inline constexpr double kMaxTaskSeconds = 86'400.0;

/// The shapes of spec.workload.synthetic.cost; seconds at speed 1, 0 <= low <= high <= the maximum.
struct ConstantCost {
  double seconds = 0;
};
struct UniformCost {
  double low_seconds = 0;
  double high_seconds = 0;
};
/// Values above kMaxTaskSeconds are reduced to it.
struct ExponentialCost {
  double mean_seconds = 0;
};
/// Linear in the index, from the first task to the last.
struct IncreasingCost {
  double first_seconds = 0;
  double last_seconds = 0;
};
struct ListedCost {
  std::vector<double> seconds;
};
using CostShape =
    std::variant<ConstantCost, UniformCost, ExponentialCost, IncreasingCost, ListedCost>;

/// A 64-bit hash of (seed, index): output `index` of splitmix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014), started at a hash of the seed.
[[nodiscard]] std::uint64_t TaskHash(std::uint64_t seed, model::TaskIndex index);

/// The duration of each task at speed 1. A random duration depends only on the seed and the index,
/// so every process computes the same without a table. Immutable.
class TaskCosts {
 public:
  /// `shape` must keep to its bounds; a list must have `task_count` entries.
  TaskCosts(CostShape shape, std::int64_t task_count, std::uint64_t seed);

  [[nodiscard]] Duration Of(model::TaskIndex index) const;
  /// Upper bound of Of() over all tasks.
  [[nodiscard]] Duration Bound() const;

 private:
  CostShape shape_;
  std::int64_t task_count_;
  std::uint64_t seed_;
};

}  // namespace evenkeel::workloads::synthetic
