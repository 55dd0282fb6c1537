#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "core/base/clock.h"

namespace evenkeel::coordinator {

/// Events from many threads to one. Bounded: Push waits while the queue is full, which holds back
/// the stream that the event came from. Thread-safe.
template <typename Event>
class EventQueue {
 public:
  explicit EventQueue(std::size_t capacity) : capacity_(capacity) {}

  /// Waits for room. Events after Close are dropped.
  void Push(Event event) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [this] { return events_.size() < capacity_ || closed_; });
    Add(std::move(event));
  }
  /// For what must not wait and is rare: signals, words of the journal.
  void PushNow(Event event) {
    const std::lock_guard lock(mutex_);
    Add(std::move(event));
  }
  /// The next event, or nothing at `deadline`.
  std::optional<Event> PopUntil(Instant deadline, const Clock& clock) {
    std::unique_lock lock(mutex_);
    while (events_.empty()) {
      const Instant now = clock.Now();
      if (now >= deadline) return std::nullopt;
      if (deadline == kNever) {
        filled_.wait(lock);
      } else {
        filled_.wait_for(lock, deadline - now);
      }
    }
    Event event = std::move(events_.front());
    events_.pop_front();
    room_.notify_one();
    return event;
  }
  /// Wakes everybody who waits for room; nothing is taken in any more.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    room_.notify_all();
  }

 private:
  void Add(Event event) {
    if (closed_) return;
    events_.push_back(std::move(event));
    filled_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable room_;
  std::deque<Event> events_;
  std::size_t capacity_;
  bool closed_ = false;
};

}  // namespace evenkeel::coordinator
