#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/base/digest.h"
#include "core/base/time.h"
#include "core/engine/messages.h"

namespace evenkeel::simulator {

/// Describes a message in one line, for traces and digests, without its results.
[[nodiscard]] std::string Describe(const engine::ToCoordinator& message);
[[nodiscard]] std::string Describe(const engine::ToWorker& message);

/// Writes one line for each delivered message and each fault, and keeps a digest of all deliveries.
/// Not thread-safe.
class TraceRecorder {
 public:
  using Sink = std::function<void(const std::string& line)>;

  /// `sink` may be empty: then there is only the digest, if `keeps_digest` is true.
  TraceRecorder(Sink sink, bool keeps_digest);

  /// True if Delivered() has an effect. Callers describe messages only then.
  [[nodiscard]] bool RecordsDeliveries() const { return keeps_digest_ || Writes(); }
  /// True if Note() has an effect.
  [[nodiscard]] bool Writes() const { return static_cast<bool>(sink_); }

  void Delivered(Instant at, const std::string& message);
  void Note(Instant at, const std::string& text) const;

  [[nodiscard]] std::int64_t deliveries() const { return deliveries_; }
  /// Covers every delivery with its time, in order.
  [[nodiscard]] std::string DigestText() const { return digest_.Text(); }

 private:
  Sink sink_;
  bool keeps_digest_;
  std::int64_t deliveries_ = 0;
  Digest digest_;
};

}  // namespace evenkeel::simulator
