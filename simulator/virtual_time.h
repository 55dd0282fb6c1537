#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/time.h"

namespace evenkeel::simulator {

struct Event;

/// Handles the events that name it as their target.
class EventTarget {
 public:
  virtual ~EventTarget() = default;
  virtual void OnEvent(const Event& event) = 0;
};

/// An event and the target that handles it. The target defines the meaning of `kind`, `number` and
/// `detail`; most often `detail` is a place in a Shelf.
struct Event {
  Instant at{};
  std::uint64_t order = 0;  ///< assigned by the queue
  EventTarget* target = nullptr;
  std::uint64_t detail = 0;
  std::uint32_t number = 0;
  std::uint8_t kind = 0;
};

/// Returns events by time, and events of the same instant in the order in which they were put in.
/// A lane is a first-in-first-out queue for events whose times mostly rise, such as messages that
/// take equally long; all other events are kept in a heap. The lane affects only the cost of an
/// operation, never the order. Not thread-safe.
class EventQueue {
 public:
  enum class Lane : std::uint8_t { kMessages, kCommits, kNone };

  void Put(Event event, Lane lane);
  [[nodiscard]] bool Empty() const;
  /// The earliest event. The queue must not be empty.
  [[nodiscard]] const Event& Front() const { return *Earliest().event; }
  Event Take();

 private:
  static constexpr std::size_t kLanes = 2;
  // With four children a node the heap is half as deep as with two, and siblings share cache lines.
  static constexpr std::size_t kChildren = 4;
  struct Place {
    const Event* event;
    std::size_t lane;  // kLanes: the heap
  };

  [[nodiscard]] static bool Before(const Event& one, const Event& other) {
    return one.at != other.at ? one.at < other.at : one.order < other.order;
  }
  [[nodiscard]] Place Earliest() const;
  void PutOnHeap(const Event& event);
  void TakeFromHeap();

  std::deque<Event> lanes_[kLanes];
  std::vector<Event> heap_;
  std::uint64_t order_ = 0;
};

/// Stores the payloads of pending events; freed places are reused. Not thread-safe.
template <typename Item>
class Shelf {
 public:
  [[nodiscard]] std::uint64_t Put(Item item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return items_.size() - 1;
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    items_[place] = std::move(item);
    return place;
  }
  [[nodiscard]] Item Take(std::uint64_t place) {
    free_.push_back(static_cast<std::size_t>(place));
    return std::move(items_[static_cast<std::size_t>(place)]);
  }

 private:
  std::vector<Item> items_;
  std::vector<std::size_t> free_;
};

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
