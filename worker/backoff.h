#pragma once

#include "core/base/rng.h"
#include "core/base/time.h"

namespace evenkeel::worker {

/// Pauses between attempts to connect: a third of what was waited so far, at least 50 ms and at
/// most 5 s, so that a coordinator which has just come is found in little more than the time that
/// it was waited for. Of a pause between half and all is kept, so that many workers do not come
/// back at the same moment. Not thread-safe.
class Backoff {
 public:
  explicit Backoff(std::uint64_t seed) : rng_(seed) {}

  [[nodiscard]] Duration Next();
  /// An attempt went well.
  void Reset() { waited_ = Duration{}; }

 private:
  static constexpr Duration kShortest = std::chrono::milliseconds(50);
  static constexpr Duration kLongest = std::chrono::seconds(5);

  Rng rng_;
  Duration waited_{};
};

}  // namespace evenkeel::worker
