#pragma once

#include <cstdint>

#include "core/model/index_range.h"

namespace evenkeel::workloads::primes {

/// Index of an odd candidate: candidate i is the number 2i + 1, so 0 stands for 1.
using CandidateIndex = std::int64_t;
/// Half-open interval of candidate indexes.
using CandidateRange = model::IndexRange;

[[nodiscard]] constexpr std::uint64_t NumberOf(CandidateIndex candidate) {
  return 2 * static_cast<std::uint64_t>(candidate) + 1;
}
/// How many odd numbers there are in 1..end; end >= 1.
[[nodiscard]] constexpr std::int64_t CandidatesUpTo(std::int64_t end) { return (end - 1) / 2 + 1; }

/// The candidates 1, 3, 5, ... up to `end`, cut into tasks: runs of equal length, the last one
/// possibly shorter. A plain value.
class CandidateTasks {
 public:
  /// end >= 1, candidates_per_task >= 1.
  CandidateTasks(std::int64_t end, std::int64_t candidates_per_task);

  [[nodiscard]] std::int64_t End() const { return end_; }
  [[nodiscard]] std::int64_t PerTask() const { return per_task_; }
  [[nodiscard]] std::int64_t CandidateCount() const { return count_; }
  [[nodiscard]] std::int64_t TaskCount() const { return (count_ - 1) / per_task_ + 1; }
  [[nodiscard]] CandidateRange Of(model::TaskIndex task) const;

 private:
  std::int64_t end_;
  std::int64_t per_task_;
  std::int64_t count_;
};

}  // namespace evenkeel::workloads::primes
