#pragma once

#include <vector>

#include "core/base/time.h"

namespace evenkeel::simulator {

/// A node's speed over time: constant between changes, 0 during a stall.
class SpeedProfile {
 public:
  explicit SpeedProfile(double speed) : steps_{{Instant{}, speed}} {}

  /// From `at` on the speed is `speed` >= 0. Changes are added in order of time.
  void ChangeAt(Instant at, double speed) { steps_.push_back({at, speed}); }
  /// The speed is 0 in [from, to); `to` may be kNever. Called after all ChangeAt.
  void AddStall(Instant from, Instant to);

  /// When work of `units` (at speed 1: seconds) that starts at `start` is done; kNever if never.
  [[nodiscard]] Instant DoneAt(Instant start, double units) const;
  /// Units done between two instants.
  [[nodiscard]] double Integral(Instant from, Instant to) const;
  /// The highest speed that it ever has.
  [[nodiscard]] double MaxSpeed() const;

 private:
  struct Step {
    Instant at;
    double speed;
  };
  /// The step that holds at that time.
  [[nodiscard]] std::size_t StepAt(Instant at) const;

  std::vector<Step> steps_;
};

}  // namespace evenkeel::simulator
