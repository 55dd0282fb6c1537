#pragma once

#include <memory>

#include "workloads/primes/primes.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::primes {

/// Counts the primes, including 2, and writes them to primes.npy (int64, ascending) if they are
/// listed. Memory: the gaps between the tasks received, and with the list one bit a candidate.
[[nodiscard]] std::unique_ptr<Reducer> MakePrimeReducer(const PrimesSpec& spec);

}  // namespace evenkeel::workloads::primes
