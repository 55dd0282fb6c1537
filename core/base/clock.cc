#include "core/base/clock.h"

#include <chrono>

namespace evenkeel {

Instant SteadyClock::Now() const {
  const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  return Instant{std::chrono::duration_cast<Duration>(since_boot)};
}

double WallClockSeconds() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_epoch).count();
}

}  // namespace evenkeel
