#pragma once

#include <stop_token>

#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {

struct ExactSchedule {
  Schedule schedule;
  bool proven = false;   ///< no schedule is shorter; false: the limit came first
  bool stopped = false;  ///< `stop` was requested: the rest means nothing
};

/// The shortest schedule by branch and bound, starting from `known`: a schedule one cycle shorter
/// than the best so far is looked for until there is none, at most `limit` steps long altogether.
/// What comes out is never longer than `known`. Depends on its arguments alone, so it is the same
/// on every machine. At most kMaxExactOperations nodes.
///
/// The search goes through the cycles in which something ends and branches over the ready
/// operations to start. It leaves out: idle units of types that are free again in the next cycle
/// (starting an operation earlier there never harms), operations that can stand for each other,
/// states that were found hopeless before, and states in which some operation, or so many of one
/// type, would come too late.
[[nodiscard]] ExactSchedule FindShortest(const SchedulingProblem& problem, const UnitCounts& counts,
                                         Schedule known, std::int64_t limit,
                                         const std::stop_token& stop);

}  // namespace evenkeel::workloads::parameter_estimation
