#pragma once

#include <memory>

#include "workloads/primes/primes.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::primes {

/// The largest `end` of Sieve.
inline constexpr std::int64_t kMaxSieveEnd = 10'000'000'000'000;

/// A runner that finds the primes of a task by the sieve of Eratosthenes (primesieve), on its own
/// thread only. `list`: results contain the primes, not only their number and the largest.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeSieveRunner(const CandidateTasks& tasks, bool list);

}  // namespace evenkeel::workloads::primes
