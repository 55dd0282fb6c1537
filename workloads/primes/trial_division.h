#pragma once

#include <memory>

#include "workloads/primes/candidates.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::primes {

/// The largest `end` of TrialDivision: the numbers and their divisors fit into 32 bits, and the
/// last candidate takes about a second.
inline constexpr std::int64_t kMaxTrialDivisionEnd = 1'000'000'000;

/// A runner of the fixed load: candidate k is divided by 3, 5, 7, ... below k until one divides it,
/// with no stop at the square root. End() of `tasks` is at most kMaxTrialDivisionEnd.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeTrialDivisionRunner(const CandidateTasks& tasks);

}  // namespace evenkeel::workloads::primes
