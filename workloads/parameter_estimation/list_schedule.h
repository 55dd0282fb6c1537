#pragma once

#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {

/// Resource-constrained list scheduling: cycle by cycle, of the operations whose operands are there
/// and whose type has a unit free, the one with the longest path behind it starts first (Hu's
/// priority), of equal ones the earlier node. O(n^2). Never longer than all operations one after
/// the other, not always the shortest.
[[nodiscard]] Schedule ListSchedule(const SchedulingProblem& problem, const UnitCounts& counts);

}  // namespace evenkeel::workloads::parameter_estimation
