#pragma once

#include <optional>
#include <string>

#include "core/model/weighting_policy.h"

namespace evenkeel::scheduling {

/// Monotone: a node that is better in any criterion never weighs less.
[[nodiscard]] model::WeightingPolicy DefaultPolicy();

/// The published table (Zubov and Kupin 2021, tables 1 and 2), for comparison. Its scale punishes
/// what is above the norm as much as what is below: do not use it for boards better than the
/// paper's.
[[nodiscard]] model::WeightingPolicy PaperPolicy();

/// The policy named "default" or "paper"; nothing for other names.
[[nodiscard]] std::optional<model::WeightingPolicy> FindBuiltinPolicy(const std::string& name);

}  // namespace evenkeel::scheduling
