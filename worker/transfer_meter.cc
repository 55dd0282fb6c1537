#include "worker/transfer_meter.h"

#include <utility>

namespace evenkeel::worker {

void TransferMeter::Measure() {
  const Instant now = clock_.Now();
  if (under_way_ > 0) measured_.Add({0, now - measured_until_});
  measured_until_ = now;
}

void TransferMeter::Begin() {
  const std::lock_guard lock(mutex_);
  Measure();
  ++under_way_;
}

void TransferMeter::End(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  Measure();
  --under_way_;
  measured_.Add({bytes, {}});
  if (++ended_ < kTransfersAtOnce && under_way_ > 0) return;
  counted_.Add(std::exchange(measured_, {}));
  ended_ = 0;
}

model::DataTransfer TransferMeter::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(counted_, {});
}

}  // namespace evenkeel::worker
