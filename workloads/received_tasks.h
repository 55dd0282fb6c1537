#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/model/packed_results.h"
#include "core/model/range_set.h"

namespace evenkeel::workloads {

/// The set of tasks whose results a reducer has received. Aborts if a result comes twice, because
/// the reducer would count it twice. Not thread-safe.
class ReceivedTasks {
 public:
  explicit ReceivedTasks(std::int64_t task_count) : task_count_(task_count) {}

  /// Records the tasks of `range`, whose results are `results`.
  void Take(model::IndexRange range, const model::PackedResults& results);

  /// The same, and gives each task's index and bytes to `fold`, which returns Result<void>. Its
  /// first error ends this, with the task in front of the message.
  template <typename Fold>
  Result<void> TakeEach(model::IndexRange range, const model::PackedResults& results,
                        const Fold& fold) {
    Take(range, results);
    for (model::TaskIndex task = range.begin; task < range.end; ++task) {
      const std::string_view bytes = results.At(task - range.begin);
      if (const Result<void> folded = fold(task, bytes); !folded) {
        return Fail(folded.error().code,
                    "task " + std::to_string(task) + ": " + folded.error().message);
      }
    }
    return {};
  }

  [[nodiscard]] const model::RangeSet& Tasks() const { return tasks_; }

 private:
  std::int64_t task_count_;
  model::RangeSet tasks_;
};

}  // namespace evenkeel::workloads
