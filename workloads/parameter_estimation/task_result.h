#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "workloads/parameter_estimation/parameter_estimation.h"

namespace evenkeel::workloads::parameter_estimation {

/// The result of a task, for one combination. Whole numbers only, so that it is the same on every
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
/// where time = cycles / clock. Power is rounded down to whole nanowatts. Controller, registers and
/// wiring are not counted.
[[nodiscard]] TaskResult FiguresOf(const EstimationSpec& spec, const UnitCounts& counts,
                                   std::uint32_t cycles, bool proven);

/// The duration of `cycles` in seconds.
[[nodiscard]] double SecondsOf(const EstimationSpec& spec, std::uint64_t cycles);

/// The power of the combination, in milliwatts.
[[nodiscard]] double MilliwattsOf(const TaskResult& result);

/// The result bytes: cycles, nanowatts, area and 1 or 0 for proven, each 64 bits little-endian.
void AppendResult(const TaskResult& result, std::string& bytes);
/// kInternal if the bytes are not a valid result.
[[nodiscard]] Result<TaskResult> ReadResult(std::string_view bytes);

}  // namespace evenkeel::workloads::parameter_estimation
