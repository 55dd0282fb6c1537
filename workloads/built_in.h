#pragma once

#include <vector>

#include "workloads/registry.h"

namespace evenkeel::workloads {

/// Evenkeel's own workloads, and beside them those of `own`.
[[nodiscard]] Registry BuiltInWorkloads(const std::vector<Registration>& own = {});

}  // namespace evenkeel::workloads
