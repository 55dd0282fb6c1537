#pragma once

#include <memory>
#include <stop_token>

#include "core/base/time.h"
#include "workloads/synthetic/synthetic.h"
#include "workloads/synthetic/task_costs.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::synthetic {

/// Sleeps for `time`. Returns false if `stop` was requested before.
[[nodiscard]] bool SleepFor(Duration time, const std::stop_token& stop);

/// Uses `time` of this thread's CPU time; a CPU quota makes that take longer. Returns false if
/// `stop` was requested before.
[[nodiscard]] bool SpinFor(Duration time, const std::stop_token& stop);

/// Bytes of a task's result: its index and TaskHash(seed, index), each 64 bits little-endian.
inline constexpr std::size_t kResultBytes = 16;

/// `spec` and `costs` must outlive the runner. Sleep: cost / options.speed of time; Spin: cost of
/// CPU time. options.speed > 0.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeSyntheticRunner(const SyntheticSpec& spec,
                                                              const TaskCosts& costs,
                                                              const RunnerOptions& options);

}  // namespace evenkeel::workloads::synthetic
