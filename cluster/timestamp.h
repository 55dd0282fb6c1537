#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace evenkeel::cluster {

/// Tag of wall-clock time, which may step. It has no now(): whoever decides is given the time.
struct WallTime {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  static constexpr bool is_steady = false;
};

/// Nanoseconds since 1970-01-01T00:00:00Z. Kubernetes objects carry whole seconds.
using Timestamp = std::chrono::time_point<WallTime, Duration>;

/// Reads "2026-03-01T09:30:00Z", with or without a fraction of the second; nothing if it is not
/// written so or there is no such day. Years 1970 to 2261.
[[nodiscard]] std::optional<Timestamp> ParseTimestamp(std::string_view text);

/// "2026-03-01T09:30:00Z", the fraction of the second cut off.
[[nodiscard]] std::string FormatTimestamp(Timestamp time);

/// What comes back when the time is written to an object and read again.
[[nodiscard]] constexpr Timestamp WholeSeconds(Timestamp time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

}  // namespace evenkeel::cluster
