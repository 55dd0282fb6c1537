#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/node_profile.h"
#include "core/model/weighting_policy.h"

namespace evenkeel::scheduling {

/// One criterion's part in the weight of one node.
struct Factor {
  std::string criterion;
  std::string raw;     ///< what the node says, with the term it was taken for; empty if unknown
  bool known = false;  ///< false: mu is the geometric mean of the nodes that are known
  double mu = 1;       ///< membership, in (0, 1]
  double alpha = 0;    ///< exponent
  double factor = 1;   ///< mu^alpha
};

/// The weight of one node and why it is so.
struct NodeWeight {
  std::string name;
  std::vector<Factor> factors;     ///< one a criterion, in the policy's order
  std::vector<std::string> notes;  ///< what was missing, unreadable or assumed
  double value = 1;                ///< v_j, in (0, 1]
  double ratio = 1;         ///< v_j / min v, rounded to 1e-6 so that it is the same everywhere
  std::int64_t weight = 1;  ///< ratio rounded up
};

/// Estimates how much work each node should get, after Zubov and Kupin, "Weight-based Load
/// Balancing in Raspberry Pi MPICH Heterogeneous Cluster with Fuzzy Estimation of Node
/// Computational Performance", ICTERI 2021 (CEUR-WS Vol-3013), section 2.2:
///
///     (1) mu_ij = z_ij / max_j z_ij      where the larger value is better
///     (2) mu_ij = min_j z_ij / z_ij      where the smaller value is better
///     (3) v_j   = prod_i mu_ij ^ alpha_i
///
/// Ours are: an unknown value counts as the geometric mean of the known ones, so that hiding a fact
/// gains nothing; mu is at least 1e-3 and the ratio at most 1e6, so that no node is starved by a
/// typo. The result has the order of `nodes`. Pure; the policy must be valid (as ParsePolicy makes
/// it).
[[nodiscard]] std::vector<NodeWeight> EstimateWeights(const std::vector<model::NodeProfile>& nodes,
                                                      const model::WeightingPolicy& policy);

/// The number the partition of the work goes by.
[[nodiscard]] inline double PartitionWeight(const NodeWeight& node, model::Rounding rounding) {
  return rounding == model::Rounding::kCeil ? static_cast<double>(node.weight) : node.ratio;
}

}  // namespace evenkeel::scheduling
