#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/node_view.h"

namespace evenkeel::api {

/// Reads a Node of the API server, leniently.
[[nodiscard]] NodeView ReadNode(const nlohmann::json& object);

}  // namespace evenkeel::api
