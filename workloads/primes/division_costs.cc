#include "workloads/primes/division_costs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <primesieve.hpp>

#include "core/base/check.h"

namespace evenkeel::workloads::primes {
namespace {

/// Candidates sieved at a time: 2 bytes each, so that a segment stays in a small cache.
constexpr std::int64_t kSegmentCandidates = std::int64_t{1} << 15;

/// Odd primes p with p * p <= end, and perhaps one more.
std::vector<std::int64_t> SievingPrimes(std::int64_t end) {
  std::vector<std::int64_t> primes;
  const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(end))) + 1;
  primesieve::generate_primes(3, root, &primes);
  return primes;
}

/// The first candidate >= begin that is a multiple of p and at least p * p: a smaller multiple has
/// a smaller factor. Candidate (p - 1) / 2 is p itself, and every p-th from there is a multiple.
CandidateIndex FirstMultiple(std::int64_t p, CandidateIndex begin) {
  const CandidateIndex square = (p * p - 1) / 2;
  if (square >= begin) return square;
  const std::int64_t beyond = (begin - (p - 1) / 2) % p;
  return beyond == 0 ? begin : begin + p - beyond;
}

/// Sets divisions[i] for each composite candidate segment.begin + i; primes and 1 keep 0.
void MarkComposites(const std::vector<std::int64_t>& sieving_primes, CandidateRange segment,
                    std::vector<std::uint16_t>& divisions) {
  std::fill(divisions.begin(), divisions.end(), std::uint16_t{0});
  // From the largest down, so that the smallest factor is what remains.
  for (auto p = sieving_primes.rbegin(); p != sieving_primes.rend(); ++p) {
    const auto cost = static_cast<std::uint16_t>((*p - 1) / 2);
    for (CandidateIndex i = FirstMultiple(*p, segment.begin); i < segment.end; i += *p) {
      divisions[static_cast<std::size_t>(i - segment.begin)] = cost;
    }
  }
}

model::Cost SumOf(CandidateRange part, CandidateIndex segment_begin,
                  const std::vector<std::uint16_t>& divisions) {
  model::Cost sum = 0;
  for (CandidateIndex i = part.begin; i < part.end; ++i) {
    const model::Cost composite = divisions[static_cast<std::size_t>(i - segment_begin)];
    const model::Cost prime = std::max<model::Cost>(i - 1, 0);  // (k - 3) / 2 with k = 2i + 1
    sum += composite != 0 ? composite : prime;
  }
  return sum;
}

}  // namespace

std::vector<model::Cost> DivisionsByTask(const CandidateTasks& tasks) {
  EVENKEEL_CHECK(tasks.End() <= std::int64_t{1} << 32, "divisions too many to be counted here");
  const std::vector<std::int64_t> sieving_primes = SievingPrimes(tasks.End());
  std::vector<std::uint16_t> divisions(static_cast<std::size_t>(kSegmentCandidates));
  std::vector<model::Cost> costs(static_cast<std::size_t>(tasks.TaskCount()), 0);
  for (CandidateIndex begin = 0; begin < tasks.CandidateCount(); begin += kSegmentCandidates) {
    const CandidateRange segment{begin,
                                 std::min(begin + kSegmentCandidates, tasks.CandidateCount())};
    MarkComposites(sieving_primes, segment, divisions);
    for (model::TaskIndex task = begin / tasks.PerTask();
         task < tasks.TaskCount() && tasks.Of(task).begin < segment.end; ++task) {
      costs[static_cast<std::size_t>(task)] +=
          SumOf(model::Intersect(tasks.Of(task), segment), begin, divisions);
    }
  }
  return costs;
}

}  // namespace evenkeel::workloads::primes
