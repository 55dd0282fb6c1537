#include "core/model/range_set.h"

#include <charconv>
#include <iterator>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"

namespace evenkeel::model {

void RangeSet::Insert(IndexRange range) {
  if (range.Empty()) return;
  auto it = ranges_.upper_bound(range.begin);
  if (it != ranges_.begin() && std::prev(it)->second >= range.begin) --it;
  while (it != ranges_.end() && it->first <= range.end) {
    range.begin = std::min(range.begin, it->first);
    range.end = std::max(range.end, it->second);
    size_ -= it->second - it->first;
    it = ranges_.erase(it);
  }
  ranges_.emplace_hint(it, range.begin, range.end);
  size_ += range.Size();
}

void RangeSet::Erase(IndexRange range) {
  if (range.Empty()) return;
  auto it = ranges_.upper_bound(range.begin);
  if (it != ranges_.begin() && std::prev(it)->second > range.begin) --it;
  while (it != ranges_.end() && it->first < range.end) {
    const IndexRange old{it->first, it->second};
    const IndexRange gone = Intersect(old, range);
    size_ -= gone.Size();
    if (old.begin < gone.begin) {
      it->second = gone.begin;
      ++it;
    } else {
      it = ranges_.erase(it);
    }
    if (gone.end < old.end) {  // nothing behind that is in the range
      ranges_.emplace_hint(it, gone.end, old.end);
      return;
    }
  }
}

void RangeSet::Clear() {
  ranges_.clear();
  size_ = 0;
}

bool RangeSet::Contains(TaskIndex index) const { return Contains(IndexRange{index, index + 1}); }

bool RangeSet::Contains(IndexRange range) const {
  if (range.Empty()) return true;
  auto it = ranges_.upper_bound(range.begin);
  return it != ranges_.begin() && std::prev(it)->second >= range.end;
}

bool RangeSet::Overlaps(IndexRange range) const {
  if (range.Empty()) return false;
  auto it = ranges_.lower_bound(range.end);
  return it != ranges_.begin() && std::prev(it)->second > range.begin;
}

IndexRange RangeSet::Front() const {
  EVENKEEL_CHECK(!ranges_.empty(), "front of an empty set");
  return {ranges_.begin()->first, ranges_.begin()->second};
}

IndexRange RangeSet::Back() const {
  EVENKEEL_CHECK(!ranges_.empty(), "back of an empty set");
  return {ranges_.rbegin()->first, ranges_.rbegin()->second};
}

std::vector<IndexRange> RangeSet::Within(IndexRange range) const {
  std::vector<IndexRange> found;
  ForEachWithin(range, [&found](IndexRange part) { found.push_back(part); });
  return found;
}

std::vector<IndexRange> RangeSet::Missing(IndexRange range) const {
  std::vector<IndexRange> gaps;
  TaskIndex from = range.begin;
  ForEachWithin(range, [&](IndexRange part) {
    if (from < part.begin) gaps.push_back({from, part.begin});
    from = part.end;
  });
  if (from < range.end) gaps.push_back({from, range.end});
  return gaps;
}

std::optional<TaskIndex> RangeSet::FirstMissing(IndexRange range) const {
  const auto next = ranges_.upper_bound(range.begin);
  if (next != ranges_.begin()) range.begin = std::max(range.begin, std::prev(next)->second);
  if (range.Empty()) return std::nullopt;
  return range.begin;
}

std::vector<IndexRange> RangeSet::Ranges() const {
  std::vector<IndexRange> all;
  all.reserve(ranges_.size());
  ForEach([&all](IndexRange range) { all.push_back(range); });
  return all;
}

std::string ToIndexString(const RangeSet& set, std::size_t max_ranges) {
  std::string text;
  std::size_t written = 0;
  set.ForEach([&](IndexRange range) {
    if (written++ >= max_ranges) return;
    if (!text.empty()) text += ',';
    text += std::to_string(range.begin);
    if (range.Size() > 1) text += '-' + std::to_string(range.end - 1);
  });
  if (written > max_ranges) text += ",...";
  return text;
}

namespace {

/// Calls visit(IndexRange) for each index or range of the text. False if the text is malformed, or
/// as soon as `visit` returns false.
template <typename Visit>
bool ForEachIndexRange(std::string_view text, const Visit& visit) {
  constexpr TaskIndex kMostIndex = 1'000'000'000'000;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto read = [&at, end](TaskIndex& index) {
    const auto [next, error] = std::from_chars(at, end, index);
    const bool good = error == std::errc() && *at != '-' && index <= kMostIndex;
    at = next;
    return good;
  };
  for (;;) {
    TaskIndex first = 0;
    if (!read(first)) return false;
    TaskIndex last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!read(last) || last < first) return false;
    }
    if (!visit(IndexRange{first, last + 1})) return false;
    if (at == end) return true;
    if (*at++ != ',') return false;
  }
}

}  // namespace

std::optional<RangeSet> ParseIndexString(std::string_view text) {
  RangeSet set;
  const bool good = ForEachIndexRange(text, [&set](IndexRange range) {
    set.Insert(range);
    return true;
  });
  return good ? std::optional(std::move(set)) : std::nullopt;
}

Result<RangeSet> ParseIndexList(std::string_view text) {
  constexpr std::size_t kMaxShown = 80;
  RangeSet set;
  std::optional<TaskIndex> repeated;
  const bool good = ForEachIndexRange(text, [&](IndexRange range) {
    if (set.Overlaps(range)) repeated = set.Within(range).front().begin;
    set.Insert(range);
    return !repeated;
  });
  if (good) return set;
  if (repeated) {
    return InvalidInput("must name each task once, names " + std::to_string(*repeated) + " twice");
  }
  const std::string shown = PrintableAscii(text, kMaxShown);
  return InvalidInput("must be indexes and ranges of them such as 3,7-9, is \"" + shown + "\"");
}

}  // namespace evenkeel::model
