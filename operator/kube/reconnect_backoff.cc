#include "operator/kube/reconnect_backoff.h"

#include <algorithm>

namespace evenkeel::kube {

Instant ReconnectBackoff::After(Instant started, Instant now) {
  if (now - started >= times_.healthy) {
    pause_ = times_.shortest;
    return now;
  }
  const Duration pause = FromSeconds(ToSeconds(pause_) * rng_.Uniform(0.5, 1.0));
  pause_ = std::min(2 * pause_, times_.longest);
  return std::max(now, started + pause);
}

}  // namespace evenkeel::kube
