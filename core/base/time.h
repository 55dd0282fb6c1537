#pragma once

#include <chrono>
#include <cstdint>

namespace evenkeel {

/// Integer nanoseconds, 64 bits wide on every architecture.
using Duration = std::chrono::duration<std::int64_t, std::nano>;

/// Tag of the engine's time line. It has no now(): policy receives the time as an argument.
struct EngineTime {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  static constexpr bool is_steady = true;
};

/// A point on a steady time line, in nanoseconds since an origin chosen by the clock's owner.
using Instant = std::chrono::time_point<EngineTime, Duration>;

/// Later than every event.
inline constexpr Instant kNever = Instant::max();

/// Seconds as a floating point number, for rates, reports and people.
constexpr double ToSeconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }

/// The nearest whole number of nanoseconds; saturates instead of overflowing.
constexpr Duration FromSeconds(double seconds) {
  constexpr double kMaxSeconds = 9.0e9;
  if (seconds >= kMaxSeconds) return Duration{static_cast<std::int64_t>(kMaxSeconds * 1e9)};
  if (seconds <= -kMaxSeconds) return Duration{static_cast<std::int64_t>(-kMaxSeconds * 1e9)};
  return Duration{static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5))};
}

}  // namespace evenkeel
