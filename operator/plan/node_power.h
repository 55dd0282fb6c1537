#pragma once

#include <cstdint>
#include <optional>

#include "core/model/node_power.h"
#include "operator/api/node_view.h"

namespace evenkeel::plan {

/// Watts of the node, as its labels or the catalogue of boards say it; nothing if neither does.
[[nodiscard]] std::optional<model::NodePower> NodePower(const api::NodeView& node);

/// Of a worker there with so many threads, or with as many as the node has cores if that is not
/// known (0): what the board draws when these are busy.
[[nodiscard]] std::optional<model::NodePower> WorkerPower(const api::NodeView& node,
                                                          std::int64_t threads);

}  // namespace evenkeel::plan
