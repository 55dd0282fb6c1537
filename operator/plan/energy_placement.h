#pragma once

#include <string>
#include <vector>

#include "operator/api/job_plan.h"
#include "operator/plan/worker_placement.h"

namespace evenkeel::plan {

/// Which free nodes are left without a worker because objective Energy has no need of them.
struct EnergyPlacement {
  std::vector<api::PlannedNode> left_out;
  std::string refusal;  ///< why the objective cannot be honoured; then no worker is to be made
};

/// With objective Energy: takes the nodes that get no work out of `census.free` and `weights`,
/// which belong together. The choice is among the heaviest nodes that maxWorkers allows, workers
/// that are there included; these stay. What the job may take is measured by the nodes it was
/// `planned` with, so that one which is lost brings others in. Other jobs stay as they are.
[[nodiscard]] EnergyPlacement LeaveOutForEnergy(const Draft& draft,
                                                const std::vector<api::PlannedNode>& planned,
                                                WorkerCensus& census,
                                                std::vector<api::PlannedNode>& weights);

}  // namespace evenkeel::plan
