#include "labeller/pauses.h"

#include <algorithm>

namespace evenkeel::labeller {
namespace {

constexpr Duration kSoon = std::chrono::minutes(5);
constexpr platform::Jitter kJitter{.least = 0.9, .most = 1.1};
constexpr platform::BackoffOptions kRetry{.shortest = std::chrono::seconds(5),
                                          .longest = std::chrono::minutes(5),
                                          .factor = 2,
                                          .jitter = kJitter};

}  // namespace

Pauses::Pauses(Duration interval, std::uint64_t seed)
    : interval_(interval), rng_(seed), backoff_(kRetry) {}

Duration Pauses::AfterSuccess(bool soon) {
  backoff_.Reset();
  const Duration pause = soon ? std::min(kSoon, interval_) : interval_;
  return platform::ApplyJitter(pause, kJitter, rng_.Unit());
}

Duration Pauses::AfterFailure() { return backoff_.Next(rng_.Unit()); }

}  // namespace evenkeel::labeller
