#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace evenkeel::worker {

/// Limits a process to a share of a core where the system offers no quota: each compute thread
/// pauses after work, so that CPU time of the process / wall time = share x threads. Time spent
/// waiting counts as pause, and a pause that was too long shortens the next. Does the accounting of
/// one thread; the caller measures and sleeps. Not thread-safe.
class DutyCycle {
 public:
  /// `share` of a core for each of `threads`; 0 < share <= 1.
  DutyCycle(double share, std::uint32_t threads);

  /// Records an interval of the thread, at work or in a pause: within `wall` the process
  /// used `cpu`, and other processes `elsewhere` for this thread alone. Returns how long to pause
  /// now: cpu / (share x threads) + elsewhere / share - wall of all stretches, never less than
  /// zero.
  [[nodiscard]] Duration Spent(Duration cpu, Duration elsewhere, Duration wall);

 private:
  double share_;
  double cores_;
  Duration owed_{};
};

/// CPU time of this process, all threads, since it began.
[[nodiscard]] Duration ProcessCpuTime();

}  // namespace evenkeel::worker
