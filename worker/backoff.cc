#include "worker/backoff.h"

#include <algorithm>

namespace evenkeel::worker {

Duration Backoff::Next() {
  const double seconds = ToSeconds(pause_) * rng_.Uniform(0.5, 1.0);
  pause_ = std::min(2 * pause_, kLongest);
  return FromSeconds(seconds);
}

}  // namespace evenkeel::worker
