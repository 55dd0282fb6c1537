#pragma once

#include <cstdint>

#include "core/base/rng.h"
#include "core/base/time.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// The part of a message that takes time.
struct Payload {
  double bytes = 0;
  std::int64_t tasks = 0;  ///< that the message hands out
};

/// One core of the coordinator's machine. It handles messages one after the other, in the order in
/// which they are given to it. Not thread-safe.
class CoordinatorProcessor {
 public:
  /// Both must outlive it.
  CoordinatorProcessor(const CoordinatorModel& model, Rng& rng) : model_(model), rng_(rng) {}

  /// Sends a message that is ready at `from`; returns when it is written.
  [[nodiscard]] Instant Send(const Payload& payload, Instant from) {
    return Process(payload, model_.seconds_a_byte_sent, from);
  }
  /// Reads a message that arrives at `from`; returns when it is read.
  [[nodiscard]] Instant Receive(const Payload& payload, Instant from) {
    return Process(payload, model_.seconds_a_byte_received, from);
  }
  /// The process was killed: its work is dropped.
  void Reset() { busy_until_ = {}; }

  [[nodiscard]] Instant busy_until() const { return busy_until_; }
  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] double bytes() const { return bytes_; }

 private:
  [[nodiscard]] Instant Process(const Payload& payload, double seconds_a_byte, Instant from);

  const CoordinatorModel& model_;
  Rng& rng_;
  Instant busy_until_{};
  double seconds_ = 0;
  double bytes_ = 0;
};

}  // namespace evenkeel::simulator
