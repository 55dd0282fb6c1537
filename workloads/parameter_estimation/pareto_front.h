#pragma once

#include <optional>
#include <vector>

#include "workloads/parameter_estimation/task_result.h"

namespace evenkeel::workloads::parameter_estimation {

/// The results of a job's tasks by index; those of tasks that failed for good are empty.
using EstimationResults = std::vector<std::optional<TaskResult>>;

/// The combinations than which no other one is at least as good in execution time, power and area
/// and better in one of them; equal ones are all in it. Their indexes in order of time, then area,
/// then power, then index. O(n log n) (Kung, Luccio and Preparata, 1975).
[[nodiscard]] std::vector<std::size_t> ParetoFront(const EstimationResults& results);

}  // namespace evenkeel::workloads::parameter_estimation
