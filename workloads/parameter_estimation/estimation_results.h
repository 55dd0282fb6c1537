#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/model/chart.h"
#include "workloads/parameter_estimation/task_result.h"

namespace evenkeel::workloads::parameter_estimation {

/// The results of a job's tasks by index; those of tasks that failed for good are empty.
using EstimationResults = std::vector<std::optional<TaskResult>>;

/// The indexes of the Pareto-optimal combinations: no other one is at least as good in execution
/// time, power and area and better in one of them. Contains all of several equal ones. Sorted by
/// time, then area, then power, then index. O(n log n) (Kung, Luccio and Preparata, 1975).
[[nodiscard]] std::vector<std::size_t> ParetoFront(const EstimationResults& results);

/// Writes results.csv, all combinations by index, and the Pareto front as pareto.csv and
/// pareto.json. `front` as ParetoFront gives it. Errors as platform::AtomicFile gives them.
[[nodiscard]] Result<void> WriteResultFiles(const std::filesystem::path& folder,
                                            const EstimationSpec& spec,
                                            const EstimationResults& results,
                                            const std::vector<std::size_t>& front);

/// One combination as a JSON object: units by name, cycles, seconds, powerMilliwatts, area.
[[nodiscard]] std::string CombinationJson(const EstimationSpec& spec, std::size_t task,
                                          const TaskResult& result);

/// Area and power by execution time: all combinations and the Pareto front as points, and the
/// smallest value at each time as a line.
[[nodiscard]] std::vector<model::Chart> ChartsOf(const EstimationSpec& spec,
                                                 const EstimationResults& results,
                                                 const std::vector<std::size_t>& front);

}  // namespace evenkeel::workloads::parameter_estimation
