#include "workloads/primes/trial_division.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <primesieve.hpp>

#include "core/base/check.h"
#include "workloads/primes/task_result.h"

namespace evenkeel::workloads::primes {
namespace {

/// Candidates sieved at a time: 2 bytes each, so that a segment stays in a small cache.
constexpr std::int64_t kSegmentCandidates = std::int64_t{1} << 15;

/// All odd primes p with p * p <= end; may contain larger ones.
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
  // From the largest factor down, so that the smallest one is written last.
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
  EVENKEEL_CHECK(tasks.End() <= std::int64_t{1} << 32,
                 "the divisions are counted for candidates up to 2^32");
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

namespace {

/// About 2 ms on a desktop core and 30 ms on the slowest board.
constexpr std::uint32_t kDivisionsPerStopCheck = std::uint32_t{1} << 20;
static_assert(kMaxTrialDivisionEnd + 2 * std::int64_t{kDivisionsPerStopCheck} <=
              std::numeric_limits<std::uint32_t>::max());

enum class Primality { kPrime, kNotPrime, kStopped };

Primality TestPrimality(std::uint32_t candidate, const std::stop_token& stop) {
  if (candidate == 1) return Primality::kNotPrime;
  std::uint32_t divisor = 3;
  while (divisor < candidate) {
    if (stop.stop_requested()) return Primality::kStopped;
    const std::uint32_t next_check = std::min(candidate, divisor + 2 * kDivisionsPerStopCheck);
    for (; divisor < next_check; divisor += 2) {
      if (candidate % divisor == 0) return Primality::kNotPrime;
    }
  }
  return Primality::kPrime;
}

class TrialDivisionRunner final : public TaskRunner {
 public:
  explicit TrialDivisionRunner(const CandidateTasks& tasks) : tasks_(tasks) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure&) override {
    const CandidateRange candidates = tasks_.Of(call.index);
    bitmap_.assign(BitmapBytes(candidates), '\0');
    for (CandidateIndex i = candidates.begin; i < candidates.end; ++i) {
      const Primality primality = TestPrimality(static_cast<std::uint32_t>(NumberOf(i)), stop);
      if (primality == Primality::kStopped) return TaskOutcome::kStopped;
      if (primality == Primality::kPrime) Mark(i - candidates.begin);
    }
    result += bitmap_;
    return TaskOutcome::kDone;
  }

 private:
  void Mark(std::int64_t place) {
    char& byte = bitmap_[static_cast<std::size_t>(place / 8)];
    byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << (place % 8));
  }

  CandidateTasks tasks_;
  std::string bitmap_;
};

}  // namespace

std::unique_ptr<TaskRunner> MakeTrialDivisionRunner(const CandidateTasks& tasks) {
  EVENKEEL_CHECK(tasks.End() <= kMaxTrialDivisionEnd, "trial division beyond 32-bit arithmetic");
  return std::make_unique<TrialDivisionRunner>(tasks);
}

}  // namespace evenkeel::workloads::primes
