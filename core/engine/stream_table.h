#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/engine/effects.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// The worker of each open stream, in the order of the streams' numbers, contiguous in memory,
/// because every message looks one up. Streams mostly come with rising numbers, which is O(1);
/// erasing one moves those behind it. Not thread-safe.
class StreamTable {
 public:
  using Entry = std::pair<StreamId, scheduling::WorkerId>;

  /// Null if the stream is not open; else valid until the next change.
  [[nodiscard]] const scheduling::WorkerId* Find(StreamId stream) const {
    const auto at = Place(stream);
    return at != entries_.end() && at->first == stream ? &at->second : nullptr;
  }
  /// The stream must be new.
  void Put(StreamId stream, scheduling::WorkerId worker) {
    entries_.insert(Place(stream), {stream, worker});
  }
  void Erase(StreamId stream) {
    const auto at = Place(stream);
    if (at != entries_.end() && at->first == stream) entries_.erase(at);
  }
  [[nodiscard]] std::size_t Size() const { return entries_.size(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }

 private:
  [[nodiscard]] std::vector<Entry>::const_iterator Place(StreamId stream) const {
    return std::lower_bound(entries_.begin(), entries_.end(), stream,
                            [](const Entry& entry, StreamId id) { return entry.first < id; });
  }

  std::vector<Entry> entries_;
};

}  // namespace evenkeel::engine
