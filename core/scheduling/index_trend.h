#pragma once

#include "core/model/index_range.h"
#include "core/scheduling/task_time_regression.h"

namespace evenkeel::scheduling {

/// Whether tasks take longer the higher their index is: the slope of log(seconds) over the index.
/// Compares only tasks of the same worker. A trend counts if the slope is three standard errors
/// away from 0. Not thread-safe. All calls O(1).
class IndexTrend {
 public:
  enum class Direction { kNone, kRising, kFalling };

  void AddWorker() { regression_.AddWorker(); }
  /// The worker ran these tasks in `seconds` together.
  void Observe(WorkerId worker, model::IndexRange tasks, double seconds);
  [[nodiscard]] Direction Found() const;

 private:
  TaskTimeRegression regression_;
};

}  // namespace evenkeel::scheduling
