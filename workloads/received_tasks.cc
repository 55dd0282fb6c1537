#include "workloads/received_tasks.h"

#include "core/base/check.h"

namespace evenkeel::workloads {

void ReceivedTasks::Take(model::IndexRange range, const model::PackedResults& results) {
  EVENKEEL_CHECK((model::IndexRange{0, task_count_}.Contains(range)),
                 "a result of a task that the job does not have");
  EVENKEEL_CHECK(results.Count() == range.Size(), "a range whose results are not one a task");
  EVENKEEL_CHECK(!tasks_.Overlaps(range), "the result of a task came twice");
  tasks_.Insert(range);
}

}  // namespace evenkeel::workloads
