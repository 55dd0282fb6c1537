#pragma once

#include <cstdint>
#include <stop_token>
#include <unordered_map>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "kubernetes/object.h"
#include "platform/backoff.h"

namespace evenkeel::kube {

/// Lets time pass. Tests have one that only moves a virtual clock. Thread-safe.
class Waiter {
 public:
  virtual ~Waiter() = default;
  /// False: `stop` came first.
  virtual bool WaitFor(Duration duration, const std::stop_token& stop) = 0;
};

/// Blocks the calling thread.
class SteadyWaiter final : public Waiter {
 public:
  bool WaitFor(Duration duration, const std::stop_token& stop) override;
};

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

/// Pauses of items that fail again and again: `shortest`, doubled with each failure up to
/// `longest`. Remembers an item until it is forgotten. Not thread-safe.
class ItemBackoff {
 public:
  ItemBackoff(Duration shortest, Duration longest) : options_{shortest, longest} {}

  /// One more failure: the pause after it.
  [[nodiscard]] Duration Next(const ObjectKey& item);
  void Forget(const ObjectKey& item) { backoffs_.erase(item); }
  [[nodiscard]] std::int32_t Failures(const ObjectKey& item) const;

 private:
  platform::BackoffOptions options_;
  std::unordered_map<ObjectKey, platform::Backoff> backoffs_;
};

struct ReconnectTimes {
  Duration shortest = std::chrono::milliseconds(800);
  Duration longest = std::chrono::seconds(30);
  Duration healthy = std::chrono::minutes(2);  ///< an attempt that lasted this long starts afresh
};

/// When to try again, counted from the start of the last attempt, so that a stream which is cut
/// once a minute is back at once and one which is cut at once is not asked for in a loop.
/// The pause doubles from `shortest` to `longest`; between half and all of it counts, so that many
/// clients do not come back at the same moment. Not thread-safe.
class ReconnectBackoff {
 public:
  ReconnectBackoff(const ReconnectTimes& times, std::uint64_t seed)
      : healthy_(times.healthy),
        rng_(seed),
        backoff_({times.shortest, times.longest, 2, {.least = 0.5, .most = 1}}) {}

  /// An attempt that began at `started` ended at `now`: the earliest time of the next one.
  [[nodiscard]] Instant After(Instant started, Instant now);

 private:
  Duration healthy_;
  Rng rng_;
  platform::Backoff backoff_;
};

}  // namespace evenkeel::kube
