#pragma once

#include <optional>
#include <string>

#include "core/model/node_profile.h"
#include "core/model/weighting_policy.h"
#include "core/scheduling/fuzzy/node_facts.h"

namespace evenkeel::scheduling {

/// The value of a criterion at one node.
struct Reading {
  std::string text;         ///< for explanations; empty if the node says nothing
  std::optional<double> z;  ///< > 0; nothing if unknown or unreadable
};

/// Reads the first of the criterion's facts or labels that the node has.
[[nodiscard]] Reading ReadCriterion(const model::Criterion& criterion,
                                    const model::WeightingPolicy& policy,
                                    const model::NodeProfile& node, const NodeFacts& facts);

}  // namespace evenkeel::scheduling
