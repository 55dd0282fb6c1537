#pragma once

#include "core/base/rng.h"
#include "core/base/time.h"

namespace evenkeel::worker {

/// Pauses between attempts to connect: 50 ms, doubled each time up to 5 s, of which between half
/// and all is waited, so that many workers do not come back at the same moment. Not thread-safe.
class Backoff {
 public:
  explicit Backoff(std::uint64_t seed) : rng_(seed) {}

  [[nodiscard]] Duration Next();
  /// An attempt went well.
  void Reset() { pause_ = kShortest; }

 private:
  static constexpr Duration kShortest = std::chrono::milliseconds(50);
  static constexpr Duration kLongest = std::chrono::seconds(5);

  Rng rng_;
  Duration pause_ = kShortest;
};

}  // namespace evenkeel::worker
