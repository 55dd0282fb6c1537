#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/parameter_estimation/parameter_estimation.h"

namespace evenkeel::workloads::parameter_estimation {

/// The operations to schedule, in topological order, independent of the numbers of units.
struct SchedulingProblem {
  struct Unit {
    std::uint32_t latency = 1;    ///< cycles from the start of an operation to its result
    std::uint32_t occupancy = 1;  ///< cycles until it can start the next one
  };
  struct Node {
    std::size_t unit = 0;             ///< index of the unit type that executes it
    std::vector<std::size_t> after;   ///< nodes whose results it needs, all of them earlier ones
    std::vector<std::size_t> before;  ///< nodes that need its result
    std::uint32_t head = 0;           ///< earliest start in any schedule
    /// Cycles from its start to the end of the longest path that begins with it.
    std::uint32_t tail = 0;
  };
  std::vector<Unit> units;
  std::vector<Node> nodes;
};

/// When each node starts, in cycles from 0.
using Schedule = std::vector<std::uint32_t>;

[[nodiscard]] SchedulingProblem ProblemOf(const EstimationSpec& spec);

/// The number of cycles until the last result is ready.
[[nodiscard]] std::uint32_t LengthOf(const SchedulingProblem& problem, const Schedule& schedule);

/// A lower bound on the length of all schedules with these units: the longest path, and for each
/// type the earliest start, the time that its units need for all of its operations, and the
/// shortest tail.
[[nodiscard]] std::uint32_t LowerBound(const SchedulingProblem& problem, const UnitCounts& counts);

}  // namespace evenkeel::workloads::parameter_estimation
