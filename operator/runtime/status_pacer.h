#pragma once

#include <algorithm>
#include <mutex>

#include "core/base/time.h"

namespace evenkeel::operating {

/// Holds the writes of status of all jobs together to a rate: SQLite on an SD card has to carry
/// them. Thread-safe; told the time.
class StatusPacer {
 public:
  /// One write in each `interval`, of which up to `burst` may come together.
  StatusPacer(Duration interval, int burst) : interval_(interval), slack_(interval * (burst - 1)) {}

  /// Zero: the write may be made now, and is counted. Else nothing is counted: ask again then.
  [[nodiscard]] Duration Ask(Instant now) {
    const std::scoped_lock lock(mutex_);
    if (next_ - slack_ > now) return next_ - slack_ - now;
    next_ = std::max(next_, now) + interval_;
    return Duration::zero();
  }

 private:
  const Duration interval_;
  const Duration slack_;
  std::mutex mutex_;
  Instant next_{};  // guarded by mutex_
};

}  // namespace evenkeel::operating
