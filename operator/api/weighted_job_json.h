#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// Reads a WeightedJob of the API server. Never fails: what is wrong with its spec stands in
/// WeightedJob::invalid.
[[nodiscard]] WeightedJob ReadWeightedJob(const nlohmann::json& object);

}  // namespace evenkeel::api
