#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/time.h"

namespace evenkeel::model {

/// Data that a worker fetched over the network: so many bytes, while at least one transfer to it
/// was under way for so long. Their quotient is the rate of its link as the worker sees it, delays
/// by others on the same medium included.
struct DataTransfer {
  std::int64_t bytes = 0;  ///< >= 0
  Duration time{};         ///< >= 0

  /// Both fields of `other` must not be negative. The sums stop at the largest value.
  void Add(const DataTransfer& other) {
    bytes += std::min(other.bytes, std::numeric_limits<std::int64_t>::max() - bytes);
    time += std::min(other.time, Duration::max() - time);
  }
  friend bool operator==(const DataTransfer&, const DataTransfer&) = default;
};

}  // namespace evenkeel::model
