#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace evenkeel::platform {

/// Tag of wall-clock time, which may step. It has no now(): the edge of a process passes the time
/// in.
struct WallTime {
  using rep = std::int64_t;
  using period = std::nano;
  using duration = Duration;
  static constexpr bool is_steady = false;
};

/// Nanoseconds since 1970-01-01T00:00:00Z, 64 bits wide on every architecture: 1677 to 2262.
using Timestamp = std::chrono::time_point<WallTime, Duration>;

/// Reads a UTC timestamp of RFC 3339, "2026-03-01T09:30:00Z", with or without a fraction of a
/// second; digits after the ninth are cut. Returns nothing for any other text, for a day that does
/// not exist, and for years outside of 1970 to 2261.
[[nodiscard]] std::optional<Timestamp> ParseTimestamp(std::string_view text);

/// Number of digits of the fraction of a second in a formatted timestamp.
enum class Fraction : std::uint8_t {
  kNone = 0,
  kMilliseconds = 3,
  kMicroseconds = 6,
  kNanoseconds = 9
};

/// Formats a timestamp as RFC 3339 in UTC, e.g. "2026-03-01T09:30:00Z". Cuts finer digits off.
[[nodiscard]] std::string FormatTimestamp(Timestamp time, Fraction fraction = Fraction::kNone);

/// Cuts the fraction of a second off, as FormatTimestamp does by default.
[[nodiscard]] constexpr Timestamp WholeSeconds(Timestamp time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

/// Seconds since 1970, for arithmetic with displayed times. Accurate to a microsecond.
[[nodiscard]] constexpr double ToUnixSeconds(Timestamp time) {
  return ToSeconds(time.time_since_epoch());
}

/// The inverse of ToUnixSeconds. Saturates at the ends of the range.
[[nodiscard]] constexpr Timestamp FromUnixSeconds(double seconds) {
  return Timestamp(FromSeconds(seconds));
}

}  // namespace evenkeel::platform
