#pragma once

#include <memory>

#include "workloads/switch_simulation/switch_simulation.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::switch_simulation {

/// Simulates the switch of a task. `spec` must outlive the runner. Checks the stop token before
/// each block of slots, which takes well below a millisecond on the slowest boards.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeSwitchRunner(const SwitchSpec& spec);

}  // namespace evenkeel::workloads::switch_simulation
