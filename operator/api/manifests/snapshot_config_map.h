#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// The ConfigMap NAME-snapshot: the bytes that GET /snapshot of the coordinator of that attempt
/// answered.
[[nodiscard]] nlohmann::json SnapshotConfigMap(const WeightedJob& job, std::int64_t attempt,
                                               std::string_view bytes);

}  // namespace evenkeel::api
