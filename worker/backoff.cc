#include "worker/backoff.h"

#include <algorithm>

namespace evenkeel::worker {

Duration Backoff::Next() {
  const Duration longest = std::clamp(waited_ / 3, kShortest, kLongest);
  const Duration pause = FromSeconds(ToSeconds(longest) * rng_.Uniform(0.5, 1.0));
  waited_ += pause;
  return pause;
}

}  // namespace evenkeel::worker
