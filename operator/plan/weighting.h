#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/api/job_plan.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::plan {

/// Weighs nodes that are to get a worker. Ratios are relative to the lightest of them.
///
/// Where the job runs already (`planned` is not empty), nodes of the plan keep their ratio whatever
/// their labels say by now, and the others are put on the same scale: all are estimated together,
/// and the new ratios multiplied by the geometric mean of planned / estimated over the nodes that
/// have both. Explicit weights and equal ones need no scale.
///
/// The result has the order of `nodes`. `policy` is needed for modes Fuzzy and Measured. Measured
/// counts as Fuzzy until there is a history.
[[nodiscard]] std::vector<api::PlannedNode> WeighNodes(
    const Snapshot& snapshot, const std::vector<const api::NodeView*>& nodes,
    const std::vector<api::PlannedNode>& planned,
    const std::optional<model::WeightingPolicy>& policy);

/// status.workers[].weightSource: where the weights of the job come from.
[[nodiscard]] std::string WeightSource(const model::WeightingSpec& weighting);

}  // namespace evenkeel::plan
