#include "workloads/parameter_estimation/exact_schedule.h"

#include <utility>

#include "core/base/check.h"
#include "workloads/parameter_estimation/deadline_search.h"

namespace evenkeel::workloads::parameter_estimation {

ExactSchedule FindShortest(const SchedulingProblem& problem, const UnitCounts& counts,
                           Schedule known, std::int64_t limit, const std::stop_token& stop) {
  EVENKEEL_CHECK(problem.nodes.size() <= kMaxExactOperations, "too many operations for one word");
  ExactSchedule best{std::move(known), false, false};
  const std::uint32_t bound = LowerBound(problem, counts);
  for (std::uint32_t length = LengthOf(problem, best.schedule); length > bound;
       length = LengthOf(problem, best.schedule)) {
    DeadlineSearch search(problem, counts, length - 1, limit, stop);
    const DeadlineSearch::Answer answer = search.Run();
    limit -= search.Steps();
    best.stopped = answer == DeadlineSearch::Answer::kStopped;
    if (answer == DeadlineSearch::Answer::kFound) {
      best.schedule = search.Found();
      continue;
    }
    best.proven = answer == DeadlineSearch::Answer::kNone;
    return best;
  }
  best.proven = true;
  return best;
}

}  // namespace evenkeel::workloads::parameter_estimation
