#pragma once

#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {

/// Resource-constrained list scheduling: in each cycle, among the operations whose operands are
/// ready and whose type has a free unit, the one with the longest path to the end starts first
/// (Hu's priority); ties go to the earlier node. O(n^2). The schedule is never longer than the
/// sequential one, but not always the shortest.
[[nodiscard]] Schedule ListSchedule(const SchedulingProblem& problem, const UnitCounts& counts);

}  // namespace evenkeel::workloads::parameter_estimation
