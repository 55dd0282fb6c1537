#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "workloads/primes/primes.h"

namespace evenkeel::workloads::primes {

/// The result bytes of a task, written by the runners and read by the reducer.
///
/// TrialDivision: a bitmap of the task's candidates, lowest bit of the first byte first, rounded up
/// to whole bytes; a bit is set if the candidate is prime.
///
/// Sieve: the number of primes among the candidates and the largest prime (0 if none), each 64
/// bits little-endian. If the primes are listed, then for each in ascending order its distance, in
/// candidates, from the one before it (the first one's: from the task's first candidate) as an
/// unsigned LEB128 number: one byte for nearly every prime.

/// Primes found among the candidates of a task.
struct Found {
  std::int64_t count = 0;
  CandidateIndex largest = 0;  ///< 0, which is not prime, if there is none
};

/// For each candidate of the whole job, whether it is prime.
using CandidateFlags = std::vector<bool>;

[[nodiscard]] constexpr std::size_t BitmapBytes(CandidateRange candidates) {
  return static_cast<std::size_t>((candidates.Size() + 7) / 8);
}

void AppendSieveHeader(Found found, std::string& result);
void AppendDistance(std::uint64_t distance, std::string& result);

/// Reads a result of TrialDivision. Sets the flags of the primes if `flags` is given. kInternal if
/// the bytes are not a valid result; some flags may be set then.
[[nodiscard]] Result<Found> ReadBitmap(CandidateRange candidates, std::string_view bytes,
                                       CandidateFlags* flags);
/// The same for Sieve. `flags` must be given if and only if the primes are listed.
[[nodiscard]] Result<Found> ReadSieved(CandidateRange candidates, std::string_view bytes,
                                       CandidateFlags* flags);

}  // namespace evenkeel::workloads::primes
