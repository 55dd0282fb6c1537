#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::workloads::switch_simulation {

/// The result of a task. Whole numbers only, so that it is the same on every architecture. Delays
/// are those of the cells that departed, in slots.
struct TaskResult {
  std::uint64_t arrived = 0;
  std::uint64_t departed = 0;
  std::uint64_t lost = 0;
  std::uint64_t queued = 0;  ///< still in the switch at the end
  std::uint64_t delay_sum = 0;
  std::uint64_t delay_p50 = 0;
  std::uint64_t delay_p95 = 0;
  std::uint64_t delay_p99 = 0;
  std::uint64_t delay_longest = 0;

  friend bool operator==(const TaskResult&, const TaskResult&) = default;
};

/// Share of the arrived cells that were lost; 0 if none arrived.
[[nodiscard]] double LossOf(const TaskResult& result);
/// Mean delay in slots; 0 if no cell departed.
[[nodiscard]] double MeanDelayOf(const TaskResult& result);

/// The result bytes: the nine numbers in the order above, each 64 bits little-endian.
void AppendResult(const TaskResult& result, std::string& bytes);
/// kInternal if the bytes are not a valid result, or if the numbers of cells do not add up.
[[nodiscard]] Result<TaskResult> ReadResult(std::string_view bytes);

}  // namespace evenkeel::workloads::switch_simulation
