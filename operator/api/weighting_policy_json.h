#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/policy_view.h"

namespace evenkeel::api {

/// Reads a WeightingPolicy of the API server. Never fails: what is wrong with it stands in
/// PolicyView::invalid.
[[nodiscard]] PolicyView ReadWeightingPolicy(const nlohmann::json& object);

}  // namespace evenkeel::api
