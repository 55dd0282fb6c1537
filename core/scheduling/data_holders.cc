#include "core/scheduling/data_holders.h"

#include <iterator>
#include <set>
#include <utility>

namespace evenkeel::scheduling {

const DataHolders& DataHolders::None() {
  static const DataHolders none;
  return none;
}

void DataHolders::Add(WorkerId worker, model::IndexRange range) {
  if (!range.Empty()) held_[worker].Insert(range);
}

const model::RangeSet& DataHolders::Of(WorkerId worker) const {
  static const model::RangeSet nothing;
  const auto held = held_.find(worker);
  return held == held_.end() ? nothing : held->second;
}

std::vector<DataHolders::Part> DataHolders::Split(model::IndexRange range) const {
  if (range.Empty()) return {};
  std::set<model::TaskIndex> cuts{range.begin};
  for (const auto& [worker, tasks] : held_) {
    tasks.ForEachWithin(range, [&cuts](model::IndexRange part) {
      cuts.insert(part.begin);
      cuts.insert(part.end);
    });
  }
  cuts.erase(range.end);
  std::vector<Part> parts;
  for (auto begin = cuts.begin(); begin != cuts.end(); ++begin) {
    const auto next = std::next(begin);
    Part part{{*begin, next == cuts.end() ? range.end : *next}, {}};
    for (const auto& [worker, tasks] : held_) {
      if (tasks.Contains(part.range)) part.holders.push_back(worker);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace evenkeel::scheduling
