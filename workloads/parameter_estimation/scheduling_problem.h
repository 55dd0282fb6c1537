#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/parameter_estimation/parameter_estimation.h"

namespace evenkeel::workloads::parameter_estimation {

/// What there is to schedule, whatever the numbers of units: operations in topological order.
struct SchedulingProblem {
  struct Unit {
    std::uint32_t latency = 1;    ///< cycles from the start of an operation to its result
    std::uint32_t occupancy = 1;  ///< cycles until it can start the next one
  };
  struct Node {
    std::size_t unit = 0;             ///< its type
    std::vector<std::size_t> after;   ///< nodes whose results it needs, all of them earlier ones
    std::vector<std::size_t> before;  ///< nodes that need its result
    std::uint32_t head = 0;           ///< no schedule starts it earlier
    /// Cycles from its start to the end of the longest path that begins with it.
    std::uint32_t tail = 0;
  };
  std::vector<Unit> units;
  std::vector<Node> nodes;
};

/// When each node starts, in cycles from 0.
using Schedule = std::vector<std::uint32_t>;

[[nodiscard]] SchedulingProblem ProblemOf(const EstimationSpec& spec);

/// The cycle in which the last result is there.
[[nodiscard]] std::uint32_t LengthOf(const SchedulingProblem& problem, const Schedule& schedule);

/// No schedule with these units is shorter: the longest path, and for each type the time its units
/// need for all of its operations behind the earliest start and in front of the shortest tail.
[[nodiscard]] std::uint32_t LowerBound(const SchedulingProblem& problem, const UnitCounts& counts);

}  // namespace evenkeel::workloads::parameter_estimation
