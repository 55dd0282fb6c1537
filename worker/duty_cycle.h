#pragma once

#include "core/base/time.h"

namespace evenkeel::worker {

/// Holds one thread to a share of a core where the system offers no quota: work is followed by a
/// pause, so that CPU time / wall time comes out as `share`. Time the thread spent waiting counts
/// as pause, and a pause that was too long shortens the next. Keeps accounts only; the caller
/// measures and sleeps. Not thread-safe.
class DutyCycle {
 public:
  /// 0 < share <= 1.
  explicit DutyCycle(double share);

  /// Takes note of a stretch of the thread's life, at work or in a pause: `cpu` of `wall`. Returns
  /// how long to pause now: cpu / share - wall of all stretches, never less than zero.
  [[nodiscard]] Duration Spent(Duration cpu, Duration wall);

 private:
  double share_;
  Duration owed_{};
};

/// CPU time of the calling thread since it began.
[[nodiscard]] Duration ThreadCpuTime();

}  // namespace evenkeel::worker
