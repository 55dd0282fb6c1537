#pragma once

#include <cstdint>
#include <vector>

#include "core/scheduling/techniques/chunk_rule.h"

/// Chunk rules that measure the workers and adapt to them.
namespace evenkeel::scheduling {

/// The time from which adaptive weights are computed: in tasks alone, or from request to request.
enum class WeighedTime { kBusy, kAll };

/// Adaptive weights (R. L. Carino and I. Banicescu, "Dynamic load balancing with adaptive factoring
/// methods in scientific applications", J. Supercomputing 44(1), 2008):
///   pi_i = sum_k k t_ik / sum_k k n_ik,  w_i = P (1 / pi_i) / sum_j (1 / pi_j),
/// which is their w_i = P rho_i / sum rho with rho_i = mean(pi) / pi_i. A worker without a
/// measurement counts with its declared weight, on the scale of the measured ones. O(workers).
[[nodiscard]] std::vector<double> AdaptiveWeights(const LoopState& loop, WeighedTime time);

/// AWF; weights change after each of `steps` >= 1 equal parts of the tasks.
[[nodiscard]] ChunkRulePtr MakeSteppedWeightedFactoring(std::int64_t steps);
[[nodiscard]] ChunkRulePtr MakeBatchWeightedFactoring(WeighedTime time);  // AWF-B, AWF-D
[[nodiscard]] ChunkRulePtr MakeChunkWeightedFactoring(WeighedTime time);  // AWF-C, AWF-E
[[nodiscard]] ChunkRulePtr MakeAdaptiveFactoring();                       // AF

}  // namespace evenkeel::scheduling
