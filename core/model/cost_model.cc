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

namespace {

bool CostTheSame(const CostModel& one, const CostModel& other, std::int64_t tasks) {
  for (TaskIndex index = 1; index <= tasks; ++index) {
    if (one.Cumulative(index) != other.Cumulative(index)) return false;
  }
  return true;
}

/// The costs of the tasks of `present`, and then those that `later` has in addition.
std::shared_ptr<const CostModel> Joined(const CostModel& present, const CostModel& later) {
  const std::int64_t before = present.TaskCount();
  if (!present.Known()) return std::make_shared<UnitCosts>(later.TaskCount());
  const std::int64_t appended = later.TaskCount() - before;
  const Cost mean = before > 0 ? std::max<Cost>(present.Total() / before, 1) : 1;
  // The sum must fit, even if the later costs are much larger.
  const Cost limit = (static_cast<Cost>(kMostCost) - present.Total()) / std::max<Cost>(appended, 1);
  std::vector<Cost> costs(static_cast<std::size_t>(later.TaskCount()));
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto index = static_cast<TaskIndex>(i);
    const IndexRange task{index, index + 1};
    if (index < before) {
      costs[i] = present.Of(task);
    } else {
      costs[i] =
          std::clamp<Cost>(later.Known() ? later.Of(task) : mean, 0, std::max<Cost>(limit, 0));
    }
  }
  return std::make_shared<PrefixCosts>(costs);
}

}  // namespace

void GrowingCosts::GrowTo(std::shared_ptr<const CostModel> costs) {
  EVENKEEL_CHECK(costs->TaskCount() >= TaskCount(), "a job lost tasks");
  const bool continues = costs->Known() == Known() && CostTheSame(*costs_, *costs, TaskCount());
  costs_ = continues ? std::move(costs) : Joined(*costs_, *costs);
}

}  // namespace evenkeel::model
