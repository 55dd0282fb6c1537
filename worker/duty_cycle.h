#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace evenkeel::worker {

/// Holds a process to a share of a core where the system offers no quota: each of its compute
/// threads follows work by a pause, so that the CPU time of the process / wall time comes out as
/// share x threads. Time spent waiting counts as pause, and a pause that was too long shortens the
/// next. Keeps one thread's accounts only; the caller measures and sleeps. Not thread-safe.
class DutyCycle {
 public:
  /// `share` of a core for each of `threads`; 0 < share <= 1.
  DutyCycle(double share, std::uint32_t threads);

  /// Takes note of a stretch of the thread's life, at work or in a pause: within `wall` the process
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
