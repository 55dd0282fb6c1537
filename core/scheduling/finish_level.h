#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"

namespace evenkeel::scheduling {

/// A worker as seen by the end of the job: when it can start another task and how long one takes
/// it.
struct Slot {
  Instant ready;
  Duration task;              ///< > 0, one task on one thread
  std::uint32_t threads = 1;  ///< tasks side by side
};

/// The smallest T by which `tasks` equal tasks can be done: the smallest T such that the sum over
/// slots of threads * floor((T - ready) / task) is at least `tasks` (the bound for indivisible
/// tasks on unequal machines). To within 0.1 %. A worker that could not finish a task by then had
/// better not start it: it would outlast all others. O(30 slots). `slots` must not be empty.
[[nodiscard]] Instant FinishLevel(const std::vector<Slot>& slots, std::int64_t tasks);

}  // namespace evenkeel::scheduling
