#pragma once

#include <vector>

#include "core/model/chart.h"
#include "workloads/switch_simulation/sweep_results.h"

namespace evenkeel::workloads::switch_simulation {

/// Loss, mean and 99th percentile of the delay and throughput by load, a view each of up to 12
/// buffer sizes; and loss by buffer size, a view each of up to 12 loads. A series is an algorithm,
/// with means over the seeds. What a sweep has only one value of gets no chart.
[[nodiscard]] std::vector<model::Chart> ChartsOf(const SweepResults& results);

}  // namespace evenkeel::workloads::switch_simulation
