#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/node.h"
#include "cluster/pod.h"

namespace evenkeel::cluster {

/// Reads a Node of the API server, leniently.
[[nodiscard]] NodeView ReadNode(const nlohmann::json& object);

/// Reads a Pod of the API server, leniently.
[[nodiscard]] PodView ReadPod(const nlohmann::json& object);

}  // namespace evenkeel::cluster
