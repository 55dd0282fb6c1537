#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/object_meta.h"

namespace evenkeel::api {

/// Reads `metadata` of an object.
[[nodiscard]] ObjectMeta ReadObjectMeta(const nlohmann::json& object);

}  // namespace evenkeel::api
