#pragma once

#include <memory>
#include <vector>

#include "core/model/cost_model.h"
#include "workloads/primes/primes.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::primes {

/// The number of divisions that trial division does in each task. Candidate k costs (k - 3) / 2 if
/// it is a prime above 2, (q - 1) / 2 if it is composite with the smallest prime factor q, and
/// nothing if it is 1. A sieve finds q, in a small fraction of the time of the divisions. Memory: 8
/// bytes a task. `tasks` must end at 2^32 or below.
[[nodiscard]] std::vector<model::Cost> DivisionsByTask(const CandidateTasks& tasks);

/// The largest `end` of TrialDivision: the numbers and their divisors fit into 32 bits, and the
/// last candidate takes about a second.
inline constexpr std::int64_t kMaxTrialDivisionEnd = 1'000'000'000;

/// A runner whose work is fixed: candidate k is divided by 3, 5, 7, ... below k until one divides
/// it, without a stop at the square root. End() of `tasks` is at most kMaxTrialDivisionEnd.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeTrialDivisionRunner(const CandidateTasks& tasks);

}  // namespace evenkeel::workloads::primes
