#pragma once

#include <cstdint>
#include <vector>

#include "core/model/cost_model.h"
#include "core/model/index_range.h"
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

/// Deals tasks that cost `heavy` or more one by one, the largest first, each to the part that has
/// least for its weight (largest processing time first; Graham, "Bounds on multiprocessing timing
/// anomalies", SIAM J. Appl. Math. 17, 1969). So each part has tasks of all sizes, and its smallest
/// ones are left for the end. Gonzalez, Ibarra and Sahni (SIAM J. Comput. 6, 1977) give a task to
/// the part that would end it first. If the weights are right, jobs end 2.5 % earlier so, but if
/// they are upside down, 7 % later (docs/experiments.md), because a slow worker starts with
/// several of the largest. The lighter tasks fill the parts up as PartitionByCost.
/// O(heavy tasks * log heavy tasks), and reads the cost of every task.
[[nodiscard]] std::vector<model::RangeSet> PartitionLargestFirst(const model::CostModel& costs,
                                                                 const model::RangeSet& todo,
                                                                 const std::vector<double>& weights,
                                                                 model::Cost heavy);

/// PartitionByCost by number of tasks, all parts equal to within one task (domain decomposition).
[[nodiscard]] std::vector<model::RangeSet> PartitionEqually(const model::RangeSet& todo,
                                                            std::size_t parts);

/// Deals blocks of consecutive tasks to the weights in turn, so that each part is spread over the
/// whole of `todo` and at any index the parts are in the ratio of the weights to within a block
/// (stride scheduling; Waldspurger and Weihl, "Stride scheduling", MIT/LCS/TM-528, 1995). For tasks
/// of unknown cost: a cost that depends on the index is the same in all parts. About `blocks`
/// blocks; the last ones of each weight are smaller, so that numbers of tasks are in the ratio of
/// the weights as well. Weights are as for PartitionByCost. O((blocks + ranges) log weights).
[[nodiscard]] std::vector<model::RangeSet> PartitionInTurn(const model::RangeSet& todo,
                                                           const std::vector<double>& weights,
                                                           std::int64_t blocks);

/// The pseudo-ranks of each worker (Zubov and Kupin 2021): worker j holds weights[j] of them in a
/// row. With weights that differ worker 0, the master, holds the last ones (figure 5): (5, 5, 1)
/// give [6, 11), [0, 5), [5, 6). With equal ones there is nothing to weigh, and ranks are in the
/// order of the workers (figure 1): (1, 1, 1) give 0, 1, 2. Weights are not negative; one of 0
/// gives an empty range. Their sum must fit into 63 bits.
[[nodiscard]] std::vector<model::IndexRange> PseudoRanks(const std::vector<std::int64_t>& weights);

/// The published split: task i belongs to the worker that holds pseudo-rank i mod sum(weights).
/// Returns each worker's tasks of [0, task_count) as maximal ranges in order: about
/// task_count / sum(weights) ranges a worker. At least one weight is above 0, unless there is no
/// task.
[[nodiscard]] std::vector<std::vector<model::IndexRange>> InterleavedSplit(
    const std::vector<std::int64_t>& weights, std::int64_t task_count);

}  // namespace evenkeel::scheduling
