#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cluster/job_plan.h"

namespace evenkeel::cluster {

/// nodes.json of the plan. The first 1,024 rows have their parts.
[[nodiscard]] std::string NodesJson(const std::vector<PlannedNode>& nodes);

/// weights.json of the plan: what the history had to do with it; empty if nothing.
[[nodiscard]] std::string WeightsJson(const JobPlan& plan);

/// Reads the ConfigMap NAME-plan, leniently.
[[nodiscard]] JobPlan ReadJobPlan(const nlohmann::json& config_map);

/// Reads the ConfigMap NAME-snapshot, leniently.
[[nodiscard]] SnapshotView ReadSnapshotView(const nlohmann::json& config_map);

/// A ratio as annotations and command lines have it: at most six decimals, none that say nothing.
[[nodiscard]] std::string RatioText(double ratio);

}  // namespace evenkeel::cluster
