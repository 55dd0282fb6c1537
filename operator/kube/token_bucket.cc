#include "operator/kube/token_bucket.h"

#include <algorithm>

#include "core/base/check.h"

namespace evenkeel::kube {

TokenBucket::TokenBucket(double per_second, int burst)
    : interval_(FromSeconds(1.0 / per_second)), tolerance_(interval_ * (burst - 1)) {
  EVENKEEL_CHECK(per_second > 0 && burst > 0, "a bucket without tokens would block for ever");
}

Duration TokenBucket::Take(Instant now) {
  const Instant full = std::max(full_again_, now);
  full_again_ = full + interval_;
  return std::max(full - tolerance_ - now, Duration::zero());
}

}  // namespace evenkeel::kube
