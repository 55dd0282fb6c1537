#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// The Service NAME-coordinator, where workers find whichever coordinator is ready.
[[nodiscard]] nlohmann::json CoordinatorService(const WeightedJob& job);

}  // namespace evenkeel::api
