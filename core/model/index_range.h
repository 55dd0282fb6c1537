#pragma once

#include <algorithm>
#include <cstdint>

namespace evenkeel::model {

/// Index of a task within its job, 0..N-1.
using TaskIndex = std::int64_t;

/// Half-open interval [begin, end) of task indexes.
struct IndexRange {
  TaskIndex begin = 0;
  TaskIndex end = 0;

  [[nodiscard]] constexpr std::int64_t Size() const { return end - begin; }
  [[nodiscard]] constexpr bool Empty() const { return end <= begin; }
  [[nodiscard]] constexpr double Middle() const {
    return static_cast<double>(begin) + static_cast<double>(Size()) / 2;
  }
  [[nodiscard]] constexpr bool Contains(TaskIndex i) const { return begin <= i && i < end; }
  [[nodiscard]] constexpr bool Contains(IndexRange other) const {
    return begin <= other.begin && other.end <= end;
  }
  [[nodiscard]] constexpr bool Overlaps(IndexRange other) const {
    return begin < other.end && other.begin < end;
  }
  friend constexpr bool operator==(IndexRange, IndexRange) = default;
};

/// The intersection; empty (begin >= end) if the ranges are disjoint.
[[nodiscard]] constexpr IndexRange Intersect(IndexRange a, IndexRange b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace evenkeel::model
