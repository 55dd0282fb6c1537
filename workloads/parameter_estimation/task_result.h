#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "workloads/parameter_estimation/parameter_estimation.h"

namespace evenkeel::workloads::parameter_estimation {

/// What a task found of one combination: whole numbers only, so that it is the same on every
/// architecture.
struct TaskResult {
  std::uint64_t cycles = 0;  ///< length of the schedule
  std::uint64_t power_nanowatts = 0;
  std::uint64_t area = 0;
  bool proven = false;  ///< no schedule with these units is shorter

  friend bool operator==(const TaskResult&, const TaskResult&) = default;
};

/// Figures of a circuit with these units whose schedule takes `cycles` >= 1:
///   area  = sum over types of count x area;
///   power = sum over types of count x idle power + sum over operations of energy / time,
/// where time = cycles / clock; of the power, what is below a nanowatt is cut off. Controller,
/// registers and wiring are not counted.
[[nodiscard]] TaskResult FiguresOf(const EstimationSpec& spec, const UnitCounts& counts,
                                   std::uint32_t cycles, bool proven);

/// Seconds that `cycles` take.
[[nodiscard]] double SecondsOf(const EstimationSpec& spec, std::uint64_t cycles);

/// Its power, in milliwatts.
[[nodiscard]] double MilliwattsOf(const TaskResult& result);

/// The result bytes: cycles, nanowatts, area and 1 or 0 for proven, each 64 bits little-endian.
void AppendResult(const TaskResult& result, std::string& bytes);
/// kInternal if the bytes are no such result.
[[nodiscard]] Result<TaskResult> ReadResult(std::string_view bytes);

}  // namespace evenkeel::workloads::parameter_estimation
