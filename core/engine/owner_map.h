#pragma once

#include <absl/container/btree_map.h>

#include <vector>

#include "core/engine/messages.h"
#include "core/model/index_range.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// Which worker holds which tasks, as disjoint ranges. O(log ranges) a change. Not thread-safe.
class OwnerMap {
 public:
  struct Piece {
    model::IndexRange range;
    scheduling::WorkerId worker;
    GrantId grant;
  };

  /// The range must be free.
  void Insert(const Piece& piece);
  /// Takes out all of `range` that is owned and returns the pieces in order.
  std::vector<Piece> Remove(model::IndexRange range);
  /// The owned pieces within the range, in order.
  [[nodiscard]] std::vector<Piece> Within(model::IndexRange range) const;
  [[nodiscard]] std::size_t PieceCount() const { return pieces_.size(); }

 private:
  struct Entry {
    model::TaskIndex end;
    scheduling::WorkerId worker;
    GrantId grant;
  };
  absl::btree_map<model::TaskIndex, Entry> pieces_;
};

}  // namespace evenkeel::engine
