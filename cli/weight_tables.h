#pragma once

#include <ostream>
#include <vector>

#include "core/model/weighting_policy.h"
#include "core/scheduling/fuzzy/weight_estimation.h"

namespace evenkeel::cli {

/// A row a node: the factor of each criterion ("?": unknown, taken from the other nodes), the
/// value, the ratio and the weight.
void WriteWeightTable(const std::vector<scheduling::NodeWeight>& weights,
                      const model::WeightingPolicy& policy, std::ostream& out);

/// A line a node with what its factors were made of, and a line a note.
void WriteWeightReasons(const std::vector<scheduling::NodeWeight>& weights, std::ostream& out);

}  // namespace evenkeel::cli
