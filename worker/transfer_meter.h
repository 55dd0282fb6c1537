#pragma once

#include <cstdint>
#include <mutex>

#include "core/base/clock.h"
#include "core/model/data_transfer.h"

namespace evenkeel::worker {

/// Measures what comes over the network to this worker. Thread-safe.
class TransferMeter {
 public:
  /// `clock` must outlive it.
  explicit TransferMeter(const Clock& clock) : clock_(clock) {}

  /// A transfer begins. It ends with one call of End.
  void Begin();
  /// A transfer ends that has brought so many bytes; 0 if it failed.
  void End(std::int64_t bytes);
  /// Returns bytes and time since the last call. A transfer that is under way counts with its time
  /// so far.
  [[nodiscard]] model::DataTransfer Take();

 private:
  /// Adds the time since `counted_`. The mutex must be held.
  void Count();

  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  int under_way_ = 0;
  Instant counted_{};  // until then, the time is in `taken_`
  model::DataTransfer taken_;
};

}  // namespace evenkeel::worker
