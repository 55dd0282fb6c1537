#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "operator/kube/transport.h"

namespace evenkeel::kube {

/// Cuts a stream of bytes into lines, however the bytes are split. Empty lines are skipped, as is
/// the '\r' before a '\n'. Holds at most one line. Not thread-safe.
class LineSplitter {
 public:
  enum class Outcome {
    kMore,     ///< all lines were handed over
    kStopped,  ///< the sink wants no more
    kTooLong   ///< a line is longer than allowed
  };

  explicit LineSplitter(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  /// Hands the lines that `bytes` completes to `sink`. After anything but kMore it must not be
  /// called again.
  [[nodiscard]] Outcome Feed(std::string_view bytes, LineSink& sink);

  /// A line has begun and not ended.
  [[nodiscard]] bool InMidLine() const { return !begun_.empty(); }

 private:
  const std::size_t max_line_bytes_;
  std::string begun_;
};

}  // namespace evenkeel::kube
