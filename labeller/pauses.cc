#include "labeller/pauses.h"

#include <algorithm>

namespace evenkeel::labeller {
namespace {

constexpr Duration kFirst = std::chrono::seconds(5);
constexpr Duration kLongest = std::chrono::minutes(5);
constexpr Duration kSoon = std::chrono::minutes(5);
constexpr int kDoublings = 6;

}  // namespace

Duration Pauses::AfterSuccess(bool soon) {
  failures_ = 0;
  return Jittered(soon ? std::min(kSoon, interval_) : interval_);
}

Duration Pauses::AfterFailure() {
  const Duration pause = std::min(kFirst * (1 << std::min(failures_, kDoublings)), kLongest);
  ++failures_;
  return Jittered(pause);
}

Duration Pauses::Jittered(Duration pause) {
  return FromSeconds(ToSeconds(pause) * rng_.Uniform(0.9, 1.1));
}

}  // namespace evenkeel::labeller
