#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/pod_view.h"

namespace evenkeel::api {

/// Reads a Pod of the API server, leniently.
[[nodiscard]] PodView ReadPod(const nlohmann::json& object);

}  // namespace evenkeel::api
