#pragma once

#include "core/base/time.h"

namespace evenkeel::kube {

/// A token bucket as "generic cell rate algorithm" (ITU-T I.371, virtual scheduling): in the long
/// run `per_second` calls, up to `burst` at once. Integer arithmetic, no clock of its own. Not
/// thread-safe.
class TokenBucket {
 public:
  /// Both above 0.
  TokenBucket(double per_second, int burst);

  /// Takes one token, if need be one of the future: the pause before it may be used. `now` never
  /// goes backwards.
  [[nodiscard]] Duration Take(Instant now);

 private:
  Duration interval_;
  Duration tolerance_;
  Instant full_again_{};  ///< when the bucket is full, if no more is taken
};

}  // namespace evenkeel::kube
