#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/time.h"

namespace evenkeel::plan {

/// How long to wait after an attempt that failed before the next one: 10 s, 20 s, 40 s ... at most
/// 6 min, as batch/v1 does it for pods.
[[nodiscard]] constexpr Duration BackoffAfter(std::int64_t attempt) {
  constexpr Duration kLongest = std::chrono::minutes(6);
  Duration delay = std::chrono::seconds(10);
  for (std::int64_t i = 1; i < attempt && delay < kLongest; ++i) delay *= 2;
  return std::min(delay, kLongest);
}

}  // namespace evenkeel::plan
