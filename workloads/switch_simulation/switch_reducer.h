#pragma once

#include <memory>

#include "workloads/switch_simulation/switch_simulation.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::switch_simulation {

/// Writes results.csv, a row a task that succeeded, sorted by index, and charts of loss, delay and
/// throughput. `spec` must outlive the reducer. Memory: 80 bytes a task.
[[nodiscard]] std::unique_ptr<Reducer> MakeSwitchReducer(const SwitchSpec& spec);

}  // namespace evenkeel::workloads::switch_simulation
