#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/time.h"
#include "core/engine/effects.h"

namespace evenkeel::coordinator {

/// Limits the streams of each authenticated worker, so that one worker cannot use up the places of
/// the others. A worker may have kStreamsEach open streams: one that works, and a newer one that
/// has not been welcomed yet. A further one displaces the oldest of the same worker, never one of
/// another worker. New streams of one worker are admitted at a bounded rate. Not thread-safe; times
/// do not decrease.
class StreamAdmission {
 public:
  using StreamId = engine::StreamId;

  static constexpr std::size_t kStreamsEach = 2;
  /// A worker may open so many streams at once, and one more per kRefill.
  static constexpr int kBurst = 20;
  static constexpr Duration kRefill = std::chrono::milliseconds(500);
  /// Workers that are remembered while they have no stream.
  static constexpr std::size_t kMaxIdle = 4096;

  struct Verdict {
    bool admitted = false;              ///< false: this worker opens streams too often
    std::optional<StreamId> displaced;  ///< to be cut
  };

  /// A new stream of `peer`. If it is admitted, call Remove when it is gone.
  [[nodiscard]] Verdict Admit(const std::string& peer, StreamId stream, Instant now);
  /// The stream is gone. Does nothing if it was displaced.
  void Remove(const std::string& peer, StreamId stream);

 private:
  struct Peer {
    std::vector<StreamId> open;  // oldest first
    int tokens = kBurst;         // streams that may be opened now
    Instant refilled{};
  };

  static void Refill(Peer& peer, Instant now);

  std::unordered_map<std::string, Peer> peers_;
  std::size_t idle_ = 0;  // peers without an open stream
};

}  // namespace evenkeel::coordinator
