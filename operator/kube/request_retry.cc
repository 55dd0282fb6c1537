#include "operator/kube/request_retry.h"

#include <algorithm>

namespace evenkeel::kube {

bool IsWorthRepeating(const Response& response, bool repeatable) {
  if (response.status == 429) return true;
  return repeatable && (response.status == 503 || response.status == 504);
}

RetryPauses::RetryPauses(const RetryPolicy& policy, std::uint64_t seed)
    : policy_(policy),
      rng_(seed),
      pause_(policy.first_pause),
      attempts_left_(policy.max_attempts - 1) {}

std::optional<Duration> RetryPauses::Next(std::optional<Duration> retry_after) {
  if (attempts_left_ <= 0) return std::nullopt;
  --attempts_left_;
  const Duration half = pause_ / 2;
  const Duration drawn = half + Duration(rng_.Between(0, half.count()));
  pause_ = std::min(pause_ * 2, policy_.longest_pause);
  const Duration asked = std::min(retry_after.value_or(Duration::zero()), policy_.longest_asked);
  return std::max(drawn, asked);
}

}  // namespace evenkeel::kube
