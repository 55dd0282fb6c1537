#pragma once

#include <cstdint>
#include <mutex>

#include "core/base/clock.h"
#include "core/model/data_transfer.h"

namespace evenkeel::worker {

/// Measures what comes over the network to this worker, so that bytes divided by time are the rate
/// of its link: a transfer of which only a part is counted would falsify it. So transfers count
/// when none is under way any more, or kTransfersAtOnce have ended. Thread-safe.
class TransferMeter {
 public:
  static constexpr int kTransfersAtOnce = 8;

  /// `clock` must outlive it.
  explicit TransferMeter(const Clock& clock) : clock_(clock) {}

  /// A transfer begins. It ends with one call of End.
  void Begin();
  /// A transfer ends that has brought so many bytes; 0 if it failed.
  void End(std::int64_t bytes);
  /// Returns bytes and time of what counts since the last call.
  [[nodiscard]] model::DataTransfer Take();

 private:
  /// Adds the time since `measured_until_`. The mutex must be held.
  void Measure();

  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  int under_way_ = 0;
  Instant measured_until_{};      // until then, the time is in `measured_`
  model::DataTransfer measured_;  // does not count yet
  int ended_ = 0;                 // transfers of which the bytes are in `measured_`
  model::DataTransfer counted_;
};

}  // namespace evenkeel::worker
