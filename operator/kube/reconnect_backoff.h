#pragma once

#include <cstdint>

#include "core/base/rng.h"
#include "core/base/time.h"

namespace evenkeel::kube {

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
      : times_(times), rng_(seed), pause_(times.shortest) {}

  /// An attempt that began at `started` ended at `now`: the earliest time of the next one.
  [[nodiscard]] Instant After(Instant started, Instant now);

 private:
  ReconnectTimes times_;
  Rng rng_;
  Duration pause_;
};

}  // namespace evenkeel::kube
