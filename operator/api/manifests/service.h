#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// The Service NAME-coordinator, which leads workers to the coordinator of that attempt, from the
/// moment that its pod has an address. Its predecessor may stand on a node that is lost.
[[nodiscard]] nlohmann::json CoordinatorService(const WeightedJob& job, std::int64_t attempt);

}  // namespace evenkeel::api
