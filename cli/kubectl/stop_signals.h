#pragma once

#include "core/base/time.h"

namespace evenkeel::cli {

/// Takes SIGINT and SIGTERM away from the process, so that whoever waits can also wait for them.
/// To be made before any other thread. Used by one thread.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// To poll for input: readable once a signal has come, and from then on.
  [[nodiscard]] int Descriptor() const { return descriptor_; }
  [[nodiscard]] bool Arrived() const;
  /// Waits for a signal, but no longer than `duration`; whether one has come.
  [[nodiscard]] bool WaitFor(Duration duration) const;

 private:
  int descriptor_ = -1;
};

}  // namespace evenkeel::cli
