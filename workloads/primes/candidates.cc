#include "workloads/primes/candidates.h"

#include <algorithm>

#include "core/base/check.h"

namespace evenkeel::workloads::primes {

CandidateTasks::CandidateTasks(std::int64_t end, std::int64_t candidates_per_task)
    : end_(end), per_task_(candidates_per_task), count_(CandidatesUpTo(end)) {
  EVENKEEL_CHECK(end >= 1 && candidates_per_task >= 1, "no candidates to make tasks of");
}

CandidateRange CandidateTasks::Of(model::TaskIndex task) const {
  EVENKEEL_CHECK(0 <= task && task < TaskCount(), "a task that the job does not have");
  const CandidateIndex begin = task * per_task_;
  return {begin, begin + std::min(per_task_, count_ - begin)};
}

}  // namespace evenkeel::workloads::primes
