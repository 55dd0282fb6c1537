#pragma once

#include <functional>

#include "core/base/clock.h"
#include "core/base/time.h"
#include "simulator/event_queue.h"

namespace evenkeel::simulator {

/// The clock of a simulation and its pending events. Time advances only from one event to the next.
/// Not thread-safe.
class VirtualTime final : public Clock {
 public:
  using Action = std::function<void()>;

  [[nodiscard]] Instant Now() const override { return now_; }
  /// Now() + `delay`, or kNever if that overflows.
  [[nodiscard]] Instant After(Duration delay) const;

  /// Runs `action` at `at`: as soon as possible if that is in the past, never if it is kNever.
  void At(Instant at, Action action);
  /// The same without an allocation, for events that are frequent.
  void At(Instant at, Event event, EventQueue::Lane lane = EventQueue::Lane::kNone);

  /// Runs all events up to `limit`, or until the time given to StopAt.
  void Run(Instant limit);
  /// Run() returns at `at` at the latest. At Now(), events of the same instant are not run any
  /// more.
  void StopAt(Instant at);

 private:
  void Dispatch(const Event& event);

  Instant now_{};
  Instant limit_ = kNever;
  bool stopping_ = false;
  EventQueue events_;
  Shelf<Action> actions_;
};

}  // namespace evenkeel::simulator
