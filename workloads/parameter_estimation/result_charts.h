#pragma once

#include <vector>

#include "core/model/chart.h"
#include "workloads/parameter_estimation/pareto_front.h"

namespace evenkeel::workloads::parameter_estimation {

/// Area and power by execution time: all combinations as points, those of the Pareto front among
/// them, and the least that each time takes as a line.
[[nodiscard]] std::vector<model::Chart> ChartsOf(const EstimationSpec& spec,
                                                 const EstimationResults& results,
                                                 const std::vector<std::size_t>& front);

}  // namespace evenkeel::workloads::parameter_estimation
