#pragma once

#include <vector>

#include "core/base/clock.h"
#include "kubernetes/pacing.h"

namespace evenkeel::kube {

/// A clock that advances only when a thread waits on it.
class VirtualTime final : public Clock, public Waiter {
 public:
  [[nodiscard]] Instant Now() const override { return now_; }

  bool WaitFor(Duration duration, const std::stop_token& stop) override {
    pauses.push_back(duration);
    if (stop.stop_requested()) return false;
    now_ += duration;
    return true;
  }

  void Pass(Duration duration) { now_ += duration; }

  std::vector<Duration> pauses;

 private:
  Instant now_{std::chrono::hours(1)};
};

}  // namespace evenkeel::kube
