#pragma once

#include <vector>

#include "core/scheduling/reservation.h"

namespace evenkeel::scheduling {

/// The tasks of the pieces, in the order in which they were taken.
inline std::vector<model::IndexRange> Ranges(const std::vector<Reservation::Piece>& pieces) {
  std::vector<model::IndexRange> ranges;
  for (const auto& piece : pieces) ranges.push_back(piece.range);
  return ranges;
}

}  // namespace evenkeel::scheduling
