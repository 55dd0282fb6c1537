#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/base/time.h"

namespace evenkeel::simulator {

/// Something that is to happen: what kind of thing, at which node, and a number whose meaning the
/// kind says (the place of what belongs to it in a Shelf, most of the time).
struct Event {
  enum class Kind : std::uint8_t { kCall, kBatchEnd, kWorkerTimer, kReport, kDelivery, kCommit };
  Instant at{};
  std::uint64_t order = 0;  ///< given by the queue
  std::uint64_t detail = 0;
  std::uint32_t node = 0;
  std::uint16_t thread = 0;
  Kind kind = Kind::kCall;
};

/// Events in order of time; those of the same instant in the order in which they were put in. What
/// happens soon, and mostly in the order in which it is put in (a message takes as long as the one
/// before it), waits in lanes, first in, first out; the others wait in a heap. Which lane an event
/// is put into changes no order, only how long it takes to keep it. Not thread-safe.
class EventQueue {
 public:
  enum class Lane : std::uint8_t { kMessages, kCommits, kNone };

  void Put(Event event, Lane lane);
  [[nodiscard]] bool Empty() const;
  /// The earliest one; there must be one.
  [[nodiscard]] const Event& Front() const { return *Earliest().event; }
  Event Take();

 private:
  static constexpr std::size_t kLanes = 2;
  // Children a node of the heap has: they lie side by side, and the heap is half as deep as with 2.
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

/// Keeps what belongs to events until they happen; places are used again. Not thread-safe.
template <typename Thing>
class Shelf {
 public:
  [[nodiscard]] std::uint64_t Put(Thing thing) {
    if (free_.empty()) {
      things_.push_back(std::move(thing));
      return things_.size() - 1;
    }
    const std::size_t place = free_.back();
    free_.pop_back();
    things_[place] = std::move(thing);
    return place;
  }
  [[nodiscard]] Thing Take(std::uint64_t place) {
    free_.push_back(static_cast<std::size_t>(place));
    return std::move(things_[static_cast<std::size_t>(place)]);
  }

 private:
  std::vector<Thing> things_;
  std::vector<std::size_t> free_;
};

}  // namespace evenkeel::simulator
