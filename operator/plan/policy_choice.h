#pragma once

#include <optional>
#include <string>

#include "core/model/weighting_policy.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::plan {

/// The policy that a job is weighed by, or why there is none.
struct PolicyChoice {
  std::optional<model::WeightingPolicy> policy;
  /// UnknownPolicy or InvalidPolicy if weights are needed and cannot be had; PowerUnknown if nodes
  /// cannot be chosen for objective Energy.
  std::string reason;
  std::string message;

  [[nodiscard]] bool Bad() const { return !reason.empty(); }
};

/// The object the job names; "default" and "paper" are known even where nobody made them. Modes
/// Explicit and Equal need none.
[[nodiscard]] PolicyChoice ChoosePolicy(const Snapshot& snapshot);

}  // namespace evenkeel::plan
