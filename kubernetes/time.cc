#include "kubernetes/time.h"

#include "platform/time.h"

namespace evenkeel::kube {

WallTime SystemWallClock::Now() const {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::string MicroTime(WallTime time) {
  return platform::FormatTimestamp(platform::Timestamp(time.time_since_epoch()),
                                   platform::Fraction::kMicroseconds);
}

}  // namespace evenkeel::kube
