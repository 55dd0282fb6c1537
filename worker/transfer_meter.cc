#include "worker/transfer_meter.h"

#include <utility>

namespace evenkeel::worker {

void TransferMeter::Count() {
  const Instant now = clock_.Now();
  if (under_way_ > 0) taken_.Add({0, now - counted_});
  counted_ = now;
}

void TransferMeter::Begin() {
  const std::lock_guard lock(mutex_);
  Count();
  ++under_way_;
}

void TransferMeter::End(std::int64_t bytes) {
  const std::lock_guard lock(mutex_);
  Count();
  --under_way_;
  taken_.Add({bytes, {}});
}

model::DataTransfer TransferMeter::Take() {
  const std::lock_guard lock(mutex_);
  Count();
  return std::exchange(taken_, {});
}

}  // namespace evenkeel::worker
