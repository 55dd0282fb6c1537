#pragma once

#include "core/base/time.h"

namespace evenkeel {

/// Source of steady time. Only processes and the simulator hold one; policy receives `now`.
/// Implementations are thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Never goes backwards.
  [[nodiscard]] virtual Instant Now() const = 0;
};

/// CLOCK_MONOTONIC. Instants are comparable between processes of one machine and one boot.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] Instant Now() const override;
};

/// Seconds since the Unix epoch, for people and journals only, never for decisions.
[[nodiscard]] double WallClockSeconds();

}  // namespace evenkeel
