#pragma once

#include <vector>

#include "core/model/cost_model.h"
#include "workloads/primes/candidates.h"

namespace evenkeel::workloads::primes {

/// The number of divisions that trial division does in each task. Candidate k costs (k - 3) / 2 if
/// it is a prime above 2, (q - 1) / 2 if q is its smallest prime factor, and nothing if it is 1.
/// Found by sieving for q, so it takes a tiny part of the time of the divisions themselves. Memory:
/// 8 bytes a task. `tasks` must end at 2^32 or below.
[[nodiscard]] std::vector<model::Cost> DivisionsByTask(const CandidateTasks& tasks);

}  // namespace evenkeel::workloads::primes
