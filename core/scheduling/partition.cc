#include "core/scheduling/partition.h"

#include <numeric>

#include "core/base/check.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;
using model::IndexRange;
using model::RangeSet;
using model::TaskIndex;

// Hands out the tasks of a set from front to back.
class FrontToBack {
 public:
  explicit FrontToBack(const RangeSet& todo) : ranges_(todo.Ranges()) {}

  [[nodiscard]] bool Done() const { return next_ == ranges_.size(); }
  [[nodiscard]] IndexRange Current() const { return ranges_[next_]; }
  void TakeUntil(TaskIndex end, RangeSet& part) {
    part.Insert({ranges_[next_].begin, end});
    ranges_[next_].begin = end;
    if (ranges_[next_].Empty()) ++next_;
  }

 private:
  std::vector<IndexRange> ranges_;
  std::size_t next_ = 0;
};

// Where to cut `range` so that its front comes nearest to `budget`.
TaskIndex NearestCut(const model::CostModel& costs, IndexRange range, Cost budget) {
  const TaskIndex below = costs.EndWithin(range, budget);
  if (below == range.end) return below;
  const Cost short_of = budget - costs.Of({range.begin, below});
  const Cost beyond = costs.Of({range.begin, below + 1}) - budget;
  return beyond < short_of ? below + 1 : below;
}

}  // namespace

std::vector<RangeSet> PartitionByCost(const model::CostModel& costs, const RangeSet& todo,
                                      const std::vector<double>& weights) {
  const double weight_sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  EVENKEEL_CHECK(weight_sum > 0, "a partition without weights");
  Cost total = 0;
  todo.ForEach([&](IndexRange range) { total += costs.Of(range); });

  std::vector<RangeSet> parts(weights.size());
  FrontToBack source(todo);
  double weight_so_far = 0;
  Cost handed_out = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    weight_so_far += weights[i];
    const bool last = weight_so_far >= weight_sum * (1 - 1e-12);
    const auto prefix =
        static_cast<Cost>(static_cast<double>(total) * (weight_so_far / weight_sum));
    while (!source.Done() && (last || handed_out < prefix)) {
      const IndexRange range = source.Current();
      const TaskIndex cut = last ? range.end : NearestCut(costs, range, prefix - handed_out);
      if (cut == range.begin) break;
      handed_out += costs.Of({range.begin, cut});
      source.TakeUntil(cut, parts[i]);
    }
  }
  return parts;
}

std::vector<RangeSet> PartitionEqually(const RangeSet& todo, std::size_t parts) {
  std::vector<RangeSet> shares(parts);
  FrontToBack source(todo);
  const std::int64_t total = todo.Size();
  const auto count = static_cast<std::int64_t>(parts);
  std::int64_t handed_out = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t until = total / count * (i + 1) + std::min(i + 1, total % count);
    while (handed_out < until) {
      const IndexRange range = source.Current();
      const TaskIndex end = std::min(range.end, range.begin + (until - handed_out));
      handed_out += end - range.begin;
      source.TakeUntil(end, shares[static_cast<std::size_t>(i)]);
    }
  }
  return shares;
}

}  // namespace evenkeel::scheduling
