#pragma once

#include <stop_token>

#include "core/base/time.h"

namespace evenkeel::kube {

/// Lets time pass. Tests have one that only moves a virtual clock. Thread-safe.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// False: `stop` came first.
  virtual bool WaitFor(Duration duration, const std::stop_token& stop) = 0;
};

/// Blocks the calling thread.
class SteadyWaiter final : public Waiter {
 public:
  bool WaitFor(Duration duration, const std::stop_token& stop) override;
};

}  // namespace evenkeel::kube
