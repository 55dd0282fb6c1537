#include "operator/kube/item_backoff.h"

#include <algorithm>

namespace evenkeel::kube {
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

}  // namespace evenkeel::kube
