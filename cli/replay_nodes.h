#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "simulator/recorded_run.h"

namespace evenkeel::cli {

/// Changes the nodes of a recorded run as `--nodes` says. Each item is
///
///   NAME=SPEED or NAME=SPEEDxCORES: one more node, or another speed for the one of that name
///   NAME=0:                         without it
///   FILE:                           these Nodes instead ('kubectl get nodes -o yaml'), once, first
///
/// Speeds are on the scale of the run's. A node of the file that was in the run is as it was
/// there; the speed of another is its emulated speed, if the run's nodes have such, or else follows
/// from its weight by the default policy beside those that were in the run. Errors
/// (kInvalidInput) are one line.
[[nodiscard]] Result<void> ChangeNodes(const std::vector<std::string>& items,
                                       simulator::RecordedRun& run);

}  // namespace evenkeel::cli
