#pragma once

#include <cstdint>

#include "core/base/time.h"

namespace evenkeel::platform {

/// Range of the random factor of a pause, so that many processes do not come back at the same
/// moment. 1 to 1 is no jitter.
struct Jitter {
  double least = 1;
  double most = 1;
};

/// The pause times a factor from the range. `random` is uniform in [0, 1).
[[nodiscard]] Duration ApplyJitter(Duration pause, Jitter jitter, double random);

struct BackoffOptions {
  Duration shortest{};  ///< above 0
  Duration longest{};   ///< at least `shortest`
  double factor = 2;    ///< from one pause to the next; at least 1
  Jitter jitter{};      ///< applied last: a pause may exceed `longest` if `most` exceeds 1
};

/// The pause after `earlier_failures` + 1 failures in a row, without jitter: `shortest`, then
/// longer by `factor` each time, up to `longest`. The same on every architecture.
[[nodiscard]] Duration ExponentialPause(const BackoffOptions& options,
                                        std::int64_t earlier_failures);

/// Exponential backoff: pauses between attempts that fail. Has no clock and no random numbers of
/// its own. Not thread-safe.
class Backoff {
 public:
  explicit Backoff(const BackoffOptions& options) : options_(options) {}

  /// One more failure: the pause after it. `random` is uniform in [0, 1), for the jitter.
  [[nodiscard]] Duration Next(double random = 0);
  /// An attempt succeeded.
  void Reset() { failures_ = 0; }
  /// Failures since the last success.
  [[nodiscard]] std::int64_t Failures() const { return failures_; }

 private:
  BackoffOptions options_;
  std::int64_t failures_ = 0;
};

}  // namespace evenkeel::platform
