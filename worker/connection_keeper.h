#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "platform/backoff.h"

namespace evenkeel::worker {

/// When to open a stream to the coordinator, when to give up, and which failures to log. Streams
/// have rising numbers; events of an earlier one are ignored. Not thread-safe.
class ConnectionKeeper {
 public:
  struct Options {
    std::string address;                                 ///< for messages
    Duration connect_timeout = std::chrono::seconds(5);  ///< of one attempt, at most
    std::optional<Duration> give_up_after;               ///< without a coordinator; nothing: never
    std::uint64_t seed = 0;                              ///< of the pauses between attempts
  };
  struct Attempt {
    std::uint64_t stream = 0;
    Duration timeout{};
  };
  /// The first attempt is due at once; the time without a coordinator counts from there.
  explicit ConnectionKeeper(Options options);

  [[nodiscard]] bool ShouldConnect(Instant now) const { return !open_ && now >= connect_at_; }
  [[nodiscard]] Attempt StartAttempt(Instant now);
  [[nodiscard]] bool IsCurrent(std::uint64_t stream) const { return open_ && stream == stream_; }
  /// False if it came on an earlier stream.
  [[nodiscard]] bool OnHeard(std::uint64_t stream);
  /// The current stream ended or could not be opened. Returns a line for the log, if it is worth
  /// one.
  [[nodiscard]] std::optional<std::string> OnClosed(const std::string& reason, Instant now);
  [[nodiscard]] bool ShouldGiveUp(Instant now) const { return now >= GiveUpAt(); }
  [[nodiscard]] std::string GiveUpReason() const;
  [[nodiscard]] Instant NextTimer() const;

 private:
  [[nodiscard]] Instant GiveUpAt() const;

  const Options options_;
  Rng rng_;
  platform::Backoff backoff_;
  std::uint64_t stream_ = 0;               // the latest
  bool open_ = false;                      // or being opened
  bool heard_ = false;                     // the coordinator has sent something on it
  Instant connect_at_{};                   // while no stream is open
  std::optional<Instant> lost_at_;         // since when the coordinator has not been heard
  std::optional<Instant> next_complaint_;  // when a failed attempt is worth the next line
};

}  // namespace evenkeel::worker
