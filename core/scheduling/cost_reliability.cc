#include "core/scheduling/cost_reliability.h"

#include <algorithm>

#include "core/base/portable_math.h"

namespace evenkeel::scheduling {
namespace {

constexpr double kLeastSlope = 0.1;
constexpr double kVarianceOfEqual = 0.0025;
constexpr std::int64_t kTasksPerWorker = 8;
constexpr double kErrorsBelowLeastSlope = 2;

}  // namespace

void CostReliability::Observe(WorkerId worker, std::int64_t tasks, model::Cost cost,
                              double seconds) {
  observed_tasks_ += tasks;
  const double mean_cost = static_cast<double>(cost) / static_cast<double>(tasks);
  regression_.Observe(worker, PortableLog(mean_cost), tasks, seconds);
}

bool CostReliability::CostsAreNoise(std::int64_t tasks) const {
  const bool equal = regression_.VarianceOfTimes() < kVarianceOfEqual;
  const auto workers = static_cast<std::int64_t>(regression_.Workers());
  const std::int64_t enough = equal ? 0 : kTasksPerWorker * workers;
  if (observed_tasks_ < std::max(tasks / 2, enough)) return false;
  const auto slope = regression_.Fit();
  return slope && slope->value + kErrorsBelowLeastSlope * slope->standard_error < kLeastSlope;
}

}  // namespace evenkeel::scheduling
