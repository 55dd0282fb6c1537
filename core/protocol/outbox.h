#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/protocol/limits.h"

namespace evenkeel::protocol {

/// Queues items during a write and combines them into as few messages as the limits allow, in
/// order. `Batch` is WorkerMessage or CoordinatorMessage. Not thread-safe.
template <typename Batch>
class Outbox {
 public:
  template <typename Item>
  void Add(std::vector<Item> items) {
    for (Item& item : items) {
      const auto bytes = static_cast<std::int64_t>(item.ByteSizeLong());
      if (!HasRoomFor(bytes)) batches_.emplace_back();
      batches_.back().bytes += bytes;
      queued_bytes_ += bytes;
      *batches_.back().message.add_items() = std::move(item);
    }
  }

  [[nodiscard]] bool Empty() const { return batches_.empty(); }
  [[nodiscard]] std::int64_t QueuedBytes() const { return queued_bytes_; }

  /// Removes and returns the next message; the outbox must not be empty.
  [[nodiscard]] Batch Take() {
    Batch next = std::move(batches_.front().message);
    queued_bytes_ -= batches_.front().bytes;
    batches_.pop_front();
    return next;
  }

  void Clear() {
    batches_.clear();
    queued_bytes_ = 0;
  }

 private:
  struct Waiting {
    Batch message;
    std::int64_t bytes = 0;
  };

  [[nodiscard]] bool HasRoomFor(std::int64_t bytes) const {
    return !batches_.empty() && batches_.back().bytes + bytes <= kBatchBytes &&
           batches_.back().message.items_size() < kMaxItems;
  }

  std::deque<Waiting> batches_;
  std::int64_t queued_bytes_ = 0;
};

}  // namespace evenkeel::protocol
