#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/scheduling/chunks/chunk_rule.h"

namespace evenkeel::scheduling {

/// floor(w c + 0.55), the rounding of the implementations by Carino and Banicescu.
[[nodiscard]] inline std::int64_t WeightedChunk(double weight, std::int64_t chunk) {
  return static_cast<std::int64_t>(std::floor(weight * static_cast<double>(chunk) + 0.55));
}

/// Adaptive weights (R. L. Carino and I. Banicescu, "Dynamic load balancing with adaptive factoring
/// methods in scientific applications", J. Supercomputing 44(1), 2008):
///   pi_i = sum_k k t_ik / sum_k k n_ik,  w_i = P (1 / pi_i) / sum_j (1 / pi_j),
/// which is their w_i = P rho_i / sum rho with rho_i = mean(pi) / pi_i. Who was not measured yet
/// has what its weight as told is worth among the others. O(workers).
[[nodiscard]] std::vector<double> AdaptiveWeights(const LoopState& loop, WeighedTime time);

}  // namespace evenkeel::scheduling
