#include "kubernetes/pacing.h"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>

#include "core/base/check.h"

namespace evenkeel::kube {

bool SteadyWaiter::WaitFor(Duration duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

TokenBucket::TokenBucket(double per_second, int burst)
    : interval_(FromSeconds(1.0 / per_second)), tolerance_(interval_ * (burst - 1)) {
  EVENKEEL_CHECK(per_second > 0 && burst > 0, "a bucket without tokens would block for ever");
}

Duration TokenBucket::Take(Instant now) {
  const Instant full = std::max(full_again_, now);
  full_again_ = full + interval_;
  return std::max(full - tolerance_ - now, Duration::zero());
}

Duration ItemBackoff::Next(const ObjectKey& item) {
  return backoffs_.try_emplace(item, options_).first->second.Next();
}

std::int32_t ItemBackoff::Failures(const ObjectKey& item) const {
  const auto found = backoffs_.find(item);
  if (found == backoffs_.end()) return 0;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min(found->second.Failures(), kMost));
}

Instant ReconnectBackoff::After(Instant started, Instant now) {
  if (now - started >= healthy_) {
    backoff_.Reset();
    return now;
  }
  return std::max(now, started + backoff_.Next(rng_.Unit()));
}

}  // namespace evenkeel::kube
