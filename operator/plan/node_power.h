#pragma once

#include <optional>

#include "operator/api/node_view.h"

namespace evenkeel::plan {

/// Watts of the node under full load, as its labels or the catalogue of boards say it; nothing if
/// neither does.
[[nodiscard]] std::optional<double> NodePower(const api::NodeView& node);

}  // namespace evenkeel::plan
