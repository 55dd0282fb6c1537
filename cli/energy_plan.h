#pragma once

#include "cli/run_plan.h"

namespace evenkeel::cli {

/// With objective Energy: moves the nodes that get no work from `plan.nodes` to `plan.left_out`,
/// with a note for each; which ones follows from their ratios and power. kInvalidInput if the power
/// of none is known. Other plans stay as they are.
[[nodiscard]] Result<void> LeaveOutForEnergy(const RunOptions& options, RunPlan& plan);

}  // namespace evenkeel::cli
