#pragma once

#include "core/model/cost_model.h"
#include "workloads/switch_simulation/switch_simulation.h"

namespace evenkeel::workloads::switch_simulation {

/// What a task costs, in units of about a nanosecond of the machine it was calibrated on:
/// slots x ports x (a + b load), where a and b are those of the algorithm. The buffer size hardly
/// matters. bench/switch_bench measures a and b; docs/workloads.md says how well they fit.
[[nodiscard]] model::Cost TaskCost(const SwitchSpec& spec, Algorithm algorithm, double load);

/// Of all tasks, by index.
[[nodiscard]] std::vector<model::Cost> TaskCosts(const SwitchSpec& spec);

}  // namespace evenkeel::workloads::switch_simulation
