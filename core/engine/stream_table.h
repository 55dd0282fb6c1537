#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/engine/effects.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// Which worker is at the other end of each open stream, in the order of the streams' numbers, side
/// by side in memory: it is asked for every message. Streams mostly come with rising numbers, which
/// takes no time; one that ends moves those behind it. Not thread-safe.
class StreamTable {
 public:
  using Entry = std::pair<StreamId, scheduling::WorkerId>;

  /// Of a stream that is open, valid until the next change; else null.
  [[nodiscard]] const scheduling::WorkerId* Find(StreamId stream) const {
    const auto at = Place(stream);
    return at != entries_.end() && at->first == stream ? &at->second : nullptr;
  }
  /// The stream is new.
  void Put(StreamId stream, scheduling::WorkerId worker) {
    entries_.insert(Place(stream), {stream, worker});
  }
  void Erase(StreamId stream) {
    const auto at = Place(stream);
    if (at != entries_.end() && at->first == stream) entries_.erase(at);
  }
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
