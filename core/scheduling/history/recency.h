#pragma once

#include <cstdint>
#include <vector>

namespace evenkeel::scheduling {

/// A stretch of time that ends now, and what a rise within it is multiplied with.
struct RecencyWindow {
  std::int64_t seconds = 0;  ///< whole, >= 1
  double factor = 0;         ///< > 0
};

/// Work counts half after this part of the whole period.
inline constexpr double kHalfLifePart = 0.25;

/// Windows, each four times as long as the one before, up to `whole_seconds` (>= 64): the sum of
/// factor x rise over them is all that rose, what is older counting less. A rise between a and b
/// seconds ago counts 2^(-t / half-life), t the middle of a and b, half-life a quarter of the
/// whole. Nested windows lose nothing at their borders, as a row of windows would, since a counter
/// rises between two values.
[[nodiscard]] std::vector<RecencyWindow> RecencyWindows(std::int64_t whole_seconds);

/// Mean age in seconds of work of which all counts `all`, and `weighed` when older work counts less
/// as above. 0 if that cannot be.
[[nodiscard]] double MeanAge(double all, double weighed, std::int64_t whole_seconds);

}  // namespace evenkeel::scheduling
