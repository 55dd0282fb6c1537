#pragma once

#include <vector>

#include "core/model/cost_model.h"
#include "core/model/range_set.h"

namespace evenkeel::scheduling {

/// Cuts the tasks of `todo`, in index order, into one consecutive part per weight so that the
/// parts' costs are in the ratio of the weights: the boundary between parts is the task boundary
/// nearest to the exact prefix of the cost (weighted domain decomposition by prefix sums of the
/// cost function). Weights are >= 0 with a positive sum; parts may be empty. O((weights + ranges)
/// log tasks).
[[nodiscard]] std::vector<model::RangeSet> PartitionByCost(const model::CostModel& costs,
                                                           const model::RangeSet& todo,
                                                           const std::vector<double>& weights);

/// The same by number of tasks, all parts equal to within one task (domain decomposition).
[[nodiscard]] std::vector<model::RangeSet> PartitionEqually(const model::RangeSet& todo,
                                                            std::size_t parts);

}  // namespace evenkeel::scheduling
