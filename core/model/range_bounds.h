#pragma once

#include <cstdint>

namespace evenkeel::model {

/// The most tasks that one run of a program may do: the results of a run fit into a message.
inline constexpr std::int64_t kMaxTasksPerRun = 1'000'000;

/// How many consecutive tasks one run of a program does.
struct RangeBounds {
  std::int64_t least_tasks = 1;  ///< fewer only at the end of the job, and to find a failing task
  std::int64_t most_tasks = kMaxTasksPerRun;

  friend bool operator==(const RangeBounds&, const RangeBounds&) = default;
};

}  // namespace evenkeel::model
