#pragma once

#include <string>

#include "workloads/parameter_estimation/scheduling_problem.h"

/// For tests of parameterEstimation.
namespace evenkeel::workloads::parameter_estimation {

/// The specification that these parameters (JSON) give; a test failure if they are refused.
[[nodiscard]] EstimationSpec SpecOf(const std::string& parameters);

/// A spec of this graph with adders (add, subtract, compare; 1 cycle) and multipliers.
[[nodiscard]] EstimationSpec FilterSpec(const std::string& graph, std::uint32_t multiply_cycles,
                                        bool pipelined = false);

/// Every operation starts after its operands are there, and no cycle needs more units than there
/// are.
void ExpectValid(const SchedulingProblem& problem, const UnitCounts& counts,
                 const Schedule& schedule);

/// The length of the shortest schedule, found by trying every start of every operation; knows
/// nothing of how FindShortestSchedule works. For a handful of operations only.
[[nodiscard]] std::uint32_t ShortestByTryingAll(const SchedulingProblem& problem,
                                                const UnitCounts& counts);

}  // namespace evenkeel::workloads::parameter_estimation
