#pragma once

#include <algorithm>

#include "core/base/time.h"

namespace evenkeel::scheduling {

/// A predicted time from now. While nothing was measured a rate is a ratio, and a prediction may be
/// beyond all clocks: what is over 30 years is taken for that, so that several may be added up.
[[nodiscard]] inline Duration PredictedTime(double seconds) {
  constexpr double kFarAwaySeconds = 1e9;
  return FromSeconds(std::min(seconds, kFarAwaySeconds));
}

}  // namespace evenkeel::scheduling
