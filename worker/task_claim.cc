#include "worker/task_claim.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace evenkeel::worker {

void TaskClaim::Reset(model::IndexRange range) {
  EVENKEEL_CHECK(range.Size() < std::numeric_limits<std::uint32_t>::max(),
                 "a batch of more tasks than can be counted");
  begin_ = range.begin;
  cut_at_.store(kNever.time_since_epoch().count(), std::memory_order_relaxed);
  limit_and_claimed_.store(static_cast<std::uint64_t>(range.Size()) << 32,
                           std::memory_order_release);
}

model::IndexRange TaskClaim::Cut(Instant now) {
  cut_at_.store(now.time_since_epoch().count(), std::memory_order_release);
  std::uint64_t word = limit_and_claimed_.load(std::memory_order_acquire);
  std::uint64_t claimed = 0;
  do {
    claimed = std::min(Claimed(word), Limit(word));
  } while (!limit_and_claimed_.compare_exchange_weak(word, (claimed << 32) | claimed,
                                                     std::memory_order_acq_rel));
  return {begin_ + static_cast<std::int64_t>(claimed),
          begin_ + static_cast<std::int64_t>(Limit(word))};
}

}  // namespace evenkeel::worker
