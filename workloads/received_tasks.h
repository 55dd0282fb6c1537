#pragma once

#include "core/model/packed_results.h"
#include "core/model/range_set.h"

namespace evenkeel::workloads {

/// Which tasks a reducer has folded in. A task that comes twice would be counted twice, so that is
/// a broken invariant. Not thread-safe.
class ReceivedTasks {
 public:
  explicit ReceivedTasks(std::int64_t task_count) : task_count_(task_count) {}

  /// Notes the tasks of `range`, whose results are `results`.
  void Take(model::IndexRange range, const model::PackedResults& results);

  [[nodiscard]] const model::RangeSet& Tasks() const { return tasks_; }

 private:
  std::int64_t task_count_;
  model::RangeSet tasks_;
};

}  // namespace evenkeel::workloads
