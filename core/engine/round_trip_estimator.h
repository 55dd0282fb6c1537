#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/time.h"
#include "core/engine/messages.h"

namespace evenkeel::engine {

/// The stamp of a message that is sent now.
[[nodiscard]] inline ClockStamp StampOf(Instant now) {
  return ClockStamp{
      static_cast<std::uint64_t>(std::max<std::int64_t>(now.time_since_epoch().count(), 0))};
}

/// Round trip of one stream, from the stamps that the worker sends back. A sample is the time since
/// the stamp without the time for which the worker held it. Queues, stalls of either process and
/// data on the link only ever lengthen a sample, so the estimate is the shortest of the latest
/// ones, like NTP's clock filter (RFC 5905, section 10): of the latest kWindow to 2 * kWindow
/// samples, because while a link is busy with data, most messages wait behind it. An estimate of a
/// link that becomes slower follows after as many. Bounded memory. Not thread-safe.
class RoundTripEstimator {
 public:
  static constexpr int kWindow = 256;

  RoundTripEstimator() = default;
  /// `opened`: when the stream was opened.
  explicit RoundTripEstimator(Instant opened) : opened_(opened) {}

  /// When the stream was opened.
  [[nodiscard]] Instant Opened() const { return opened_; }
  /// Ignores what an honest worker cannot send: a stamp of the future or of a time before the
  /// stream, and one that was held for longer than it is old.
  void Add(const StampEcho& echo, Instant now) {
    if (echo.stamp < StampOf(opened_) || echo.stamp > StampOf(now)) return;
    if (echo.stamp == ClockStamp{} || echo.held < Duration::zero()) return;
    const Duration age{static_cast<std::int64_t>(StampOf(now).value - echo.stamp.value)};
    if (echo.held > age) return;
    AddSample(age - echo.held);
  }
  /// Nothing before the first sample.
  [[nodiscard]] std::optional<Duration> Estimate() const {
    if (!shortest_) return before_;
    return before_ ? std::min(*shortest_, *before_) : shortest_;
  }

 private:
  void AddSample(Duration sample) {
    if (samples_ == kWindow) {
      before_ = shortest_;
      shortest_.reset();
      samples_ = 0;
    }
    ++samples_;
    shortest_ = std::min(sample, shortest_.value_or(sample));
  }

  Instant opened_{};
  std::optional<Duration> shortest_;  // of the latest samples, at most kWindow
  std::optional<Duration> before_;    // of the kWindow samples before them
  int samples_ = 0;                   // in shortest_
};

}  // namespace evenkeel::engine
