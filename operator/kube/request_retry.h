#pragma once

#include <optional>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "operator/kube/transport.h"

namespace evenkeel::kube {

/// How often and when a refused request is tried again. With the defaults a request takes at most
/// 4 pauses of at most 30 s, without Retry-After about 8 s of pauses altogether.
struct RetryPolicy {
  int max_attempts = 5;  ///< 1: never again, as leader election wants it
  Duration first_pause = std::chrono::milliseconds(500);
  Duration longest_pause = std::chrono::seconds(8);   ///< of those that double
  Duration longest_asked = std::chrono::seconds(30);  ///< of those that the server asks for
};

/// Whether the server says "not now": 429, 503, 504. Of a request that must not be carried out
/// twice only 429 is, because the others leave it open.
[[nodiscard]] bool IsWorthRepeating(const Response& response, bool repeatable);

/// The pauses of one call: doubled each time, between half and all of it is waited, so that many
/// clients do not come back together; never less than the server asks for. Not thread-safe.
class RetryPauses {
 public:
  RetryPauses(const RetryPolicy& policy, std::uint64_t seed);

  /// Nothing when all attempts are used up.
  [[nodiscard]] std::optional<Duration> Next(std::optional<Duration> retry_after);

 private:
  RetryPolicy policy_;
  Rng rng_;
  Duration pause_;
  int attempts_left_;
};

}  // namespace evenkeel::kube
