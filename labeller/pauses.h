#pragma once

#include <cstdint>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "platform/backoff.h"

namespace evenkeel::labeller {

/// When to look again. Each pause is 10 % more or less, so that the nodes of a cluster that was
/// switched on at once do not all come at the same moment. Not thread-safe.
class Pauses {
 public:
  Pauses(Duration interval, std::uint64_t seed);

  /// After a look that went well; `soon`: something could not be measured yet.
  [[nodiscard]] Duration AfterSuccess(bool soon);
  /// After a failure: 5 s, doubled each time up to 5 min.
  [[nodiscard]] Duration AfterFailure();
  /// Failures since the last success.
  [[nodiscard]] std::int64_t Failures() const { return backoff_.Failures(); }

 private:
  Duration interval_;
  Rng rng_;
  platform::Backoff backoff_;
};

}  // namespace evenkeel::labeller
