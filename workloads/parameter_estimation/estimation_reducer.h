#pragma once

#include <memory>

#include "workloads/parameter_estimation/parameter_estimation.h"

namespace evenkeel::workloads::parameter_estimation {

/// Collects the results of all combinations and writes the files of estimation_results.h. `spec`
/// must outlive it.
[[nodiscard]] std::unique_ptr<Reducer> MakeEstimationReducer(const EstimationSpec& spec);

}  // namespace evenkeel::workloads::parameter_estimation
