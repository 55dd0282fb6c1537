#pragma once

#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "workloads/parameter_estimation/pareto_front.h"

namespace evenkeel::workloads::parameter_estimation {

/// Writes results.csv, all combinations by index, and the Pareto front as pareto.csv and
/// pareto.json. `front` as ParetoFront gives it. Errors as ResultFile gives them.
[[nodiscard]] Result<void> WriteResultFiles(const std::filesystem::path& folder,
                                            const EstimationSpec& spec,
                                            const EstimationResults& results,
                                            const std::vector<std::size_t>& front);

/// One combination as a JSON object: units by name, cycles, seconds, powerMilliwatts, area.
[[nodiscard]] std::string CombinationJson(const EstimationSpec& spec, std::size_t task,
                                          const TaskResult& result);

}  // namespace evenkeel::workloads::parameter_estimation
