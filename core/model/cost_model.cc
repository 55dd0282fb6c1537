#include "core/model/cost_model.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace evenkeel::model {

TaskIndex CostModel::EndWithin(IndexRange range, Cost budget) const {
  const Cost base = Cumulative(range.begin);
  TaskIndex low = range.begin;  // always affordable
  TaskIndex high = range.end;
  while (low < high) {
    const TaskIndex middle = low + (high - low + 1) / 2;
    if (Cumulative(middle) - base <= budget) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

TaskIndex CostModel::BeginWithin(IndexRange range, Cost budget) const {
  const Cost top = Cumulative(range.end);
  TaskIndex low = range.begin;
  TaskIndex high = range.end;  // always affordable
  while (low < high) {
    const TaskIndex middle = low + (high - low) / 2;
    if (top - Cumulative(middle) <= budget) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

PrefixCosts::PrefixCosts(const std::vector<Cost>& costs) {
  prefix_.reserve(costs.size() + 1);
  prefix_.push_back(0);
  for (const Cost cost : costs) {
    EVENKEEL_CHECK(cost >= 0 && cost <= std::numeric_limits<Cost>::max() - prefix_.back(),
                   "a cost is negative or the total does not fit into 63 bits");
    prefix_.push_back(prefix_.back() + cost);
    longest_ = std::max(longest_, cost);
  }
}

void GrowingCosts::GrowTo(std::shared_ptr<const CostModel> costs) {
  EVENKEEL_CHECK(costs->TaskCount() >= TaskCount(), "a job lost tasks");
  EVENKEEL_CHECK(costs->Known() == Known() && costs->Cumulative(TaskCount()) == Total(),
                 "the costs of previous tasks changed");
  costs_ = std::move(costs);
}

}  // namespace evenkeel::model
