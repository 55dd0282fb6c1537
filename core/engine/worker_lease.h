#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"

namespace evenkeel::engine {

/// Until when a worker may run tasks that must not run twice. The lease is renewed by each message
/// that the coordinator acknowledges, from the time at which that message was sent.
/// Memory is bounded: send times closer than 1/1024 of the lease count as the earliest of them, and
/// acknowledged ones are dropped. Not thread-safe.
class WorkerLease {
 public:
  /// A Hello was sent on a new stream; its reports are counted from zero.
  void OnHelloSent(Instant now);
  /// The coordinator has heard the Hello. `idempotent`: tasks may run twice, there is no lease.
  void OnWelcome(bool idempotent, Duration length);
  void OnReportSent(Instant now);
  /// The coordinator has heard the first `count` reports of this stream.
  void OnReportsHeard(std::uint64_t count);

  /// kNever for tasks that may run twice.
  [[nodiscard]] Instant End() const;
  [[nodiscard]] bool IsOver(Instant now) const { return now >= End(); }
  /// Number of send times kept.
  [[nodiscard]] std::size_t KeptTimes() const { return sent_.size(); }

 private:
  struct SentReport {
    std::uint64_t number;  // the first report of the stream is 1
    Instant at;
  };
  static constexpr int kTimesPerLease = 1024;

  bool limited_ = false;
  Duration length_{};
  Instant hello_sent_{};
  Instant renewed_{};             // send time of the latest message that was acknowledged
  std::uint64_t reports_ = 0;     // sent on this stream
  std::vector<SentReport> sent_;  // not acknowledged yet, by number
};

}  // namespace evenkeel::engine
