#pragma once

#include <absl/container/btree_map.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/index_range.h"

namespace evenkeel::model {

/// A set of task indexes, kept as maximal disjoint ranges in order. Memory grows with the number of
/// gaps, not of tasks. Changes take O(log n) plus the ranges they touch. Not thread-safe.
class RangeSet {
 public:
  RangeSet() = default;
  explicit RangeSet(IndexRange range) { Insert(range); }

  /// Adds all indexes of the range; those already there stay.
  void Insert(IndexRange range);
  /// Removes all indexes of the range; those not there are ignored.
  void Erase(IndexRange range);
  void Clear();

  [[nodiscard]] bool Empty() const { return ranges_.empty(); }
  /// Number of indexes in the set.
  [[nodiscard]] std::int64_t Size() const { return size_; }
  /// Number of maximal ranges.
  [[nodiscard]] std::size_t RangeCount() const { return ranges_.size(); }
  [[nodiscard]] bool Contains(TaskIndex index) const;
  /// True if every index of the range is in the set (an empty range always is).
  [[nodiscard]] bool Contains(IndexRange range) const;
  [[nodiscard]] bool Overlaps(IndexRange range) const;

  /// The first and the last maximal range; the set must not be empty.
  [[nodiscard]] IndexRange Front() const;
  [[nodiscard]] IndexRange Back() const;

  /// Calls visit(IndexRange) for each part of `range` that is in the set, in order, without
  /// allocating. `visit` must not change the set.
  template <typename Visit>
  void ForEachWithin(IndexRange range, const Visit& visit) const {
    auto it = ranges_.upper_bound(range.begin);
    if (it != ranges_.begin()) --it;
    for (; it != ranges_.end() && it->first < range.end; ++it) {
      const IndexRange part = Intersect({it->first, it->second}, range);
      if (!part.Empty()) visit(part);
    }
  }
  /// The parts of `range` that are in the set, in order.
  [[nodiscard]] std::vector<IndexRange> Within(IndexRange range) const;
  /// The parts of `range` that are not in the set, in order.
  [[nodiscard]] std::vector<IndexRange> Missing(IndexRange range) const;
  /// The first index of `range` that is not in the set, if there is one.
  [[nodiscard]] std::optional<TaskIndex> FirstMissing(IndexRange range) const;
  [[nodiscard]] std::vector<IndexRange> Ranges() const;

  /// Calls visit(IndexRange) for each maximal range in order, without copying.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [begin, end] : ranges_) visit(IndexRange{begin, end});
  }

  friend bool operator==(const RangeSet& a, const RangeSet& b) { return a.ranges_ == b.ranges_; }

 private:
  absl::btree_map<TaskIndex, TaskIndex> ranges_;  // begin -> end
  std::int64_t size_ = 0;
};

/// "1,3-5,9": the notation of completedIndexes in Kubernetes' Indexed Jobs. Writes at
/// most `max_ranges`; "..." at the end stands for the rest.
[[nodiscard]] std::string ToIndexString(const RangeSet& set, std::size_t max_ranges);
/// Reads the same notation: indexes and ranges of them, both ends included, in any order. Nothing
/// if it is anything else.
[[nodiscard]] std::optional<RangeSet> ParseIndexString(std::string_view text);
/// Reads a list in which a user names each index once. Errors (kInvalidInput) say what is wrong in
/// words that follow the name of the field: "must be ..., is ...".
[[nodiscard]] Result<RangeSet> ParseIndexList(std::string_view text);

}  // namespace evenkeel::model
