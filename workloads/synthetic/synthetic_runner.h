#pragma once

#include <memory>

#include "workloads/synthetic/synthetic.h"
#include "workloads/synthetic/task_costs.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::synthetic {

/// Bytes of a task's result: its index and TaskHash(seed, index), each 64 bits little-endian.
inline constexpr std::size_t kResultBytes = 16;

/// `spec` and `costs` must outlive the runner. Sleep: cost / options.speed of time; Spin: cost of
/// CPU time. options.speed > 0.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeSyntheticRunner(const SyntheticSpec& spec,
                                                              const TaskCosts& costs,
                                                              const RunnerOptions& options);

}  // namespace evenkeel::workloads::synthetic
