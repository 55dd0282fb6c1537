#include "core/engine/owner_map.h"

#include <iterator>

#include "core/base/check.h"

namespace evenkeel::engine {

using model::IndexRange;

void OwnerMap::Insert(const Piece& piece) {
  if (piece.range.Empty()) return;
  const auto next = pieces_.lower_bound(piece.range.begin);
  const bool free_behind = next == pieces_.end() || next->first >= piece.range.end;
  const bool free_before =
      next == pieces_.begin() || std::prev(next)->second.end <= piece.range.begin;
  EVENKEEL_CHECK(free_behind && free_before, "a task leased to two owners");
  pieces_.emplace_hint(next, piece.range.begin, Entry{piece.range.end, piece.worker, piece.grant});
}

std::vector<OwnerMap::Piece> OwnerMap::Remove(IndexRange range) {
  std::vector<Piece> removed = Within(range);
  for (const Piece& piece : removed) {
    auto it = std::prev(pieces_.upper_bound(piece.range.begin));
    const IndexRange whole{it->first, it->second.end};
    const Entry entry = it->second;
    if (whole.begin < piece.range.begin) {
      it->second.end = piece.range.begin;
    } else {
      pieces_.erase(it);
    }
    if (piece.range.end < whole.end) {
      pieces_.emplace(piece.range.end, Entry{whole.end, entry.worker, entry.grant});
    }
  }
  return removed;
}

std::vector<OwnerMap::Piece> OwnerMap::Within(IndexRange range) const {
  std::vector<Piece> found;
  auto it = pieces_.upper_bound(range.begin);
  if (it != pieces_.begin()) --it;
  for (; it != pieces_.end() && it->first < range.end; ++it) {
    const IndexRange part = model::Intersect({it->first, it->second.end}, range);
    if (!part.Empty()) found.push_back({part, it->second.worker, it->second.grant});
  }
  return found;
}

}  // namespace evenkeel::engine
