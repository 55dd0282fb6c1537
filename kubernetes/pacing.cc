#include "kubernetes/pacing.h"

#include <algorithm>
#include <condition_variable>
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

namespace {

/// More doublings than fit into any pause, few enough not to overflow one.
constexpr std::int32_t kMostDoublings = 30;

}  // namespace

Duration ItemBackoff::Next(const ObjectKey& item) {
  std::int32_t& failures = failures_[item];
  const std::int32_t doublings = std::min(failures, kMostDoublings);
  failures = doublings + 1;
  // Halving the limit instead of doubling the pause: no overflow, whatever the times are.
  if (shortest_ > Duration{longest_.count() >> doublings}) return longest_;
  return Duration{shortest_.count() << doublings};
}

std::int32_t ItemBackoff::Failures(const ObjectKey& item) const {
  const auto found = failures_.find(item);
  return found == failures_.end() ? 0 : found->second;
}

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
