#include "core/scheduling/task_time_regression.h"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"

namespace evenkeel::scheduling {
namespace {

// A measurement counts as at most so many tasks.
constexpr double kMostTasks = 16;
constexpr double kLeastSeconds = 1e-9;
constexpr std::int64_t kLeastFreedom = 6;

}  // namespace

void TaskTimeRegression::Observe(WorkerId worker, double x, std::int64_t tasks, double seconds) {
  const auto count = static_cast<double>(tasks);
  const double weight = std::min(count, kMostTasks);
  const double y = PortableLog(std::max(seconds / count, kLeastSeconds));
  RunningMeans& own = workers_[worker.value];
  if (own.Empty()) ++observed_workers_;
  ++observations_;
  const RunningMeans::Added added = own.Add(x, y, weight);
  xx_ += added.xx;
  xy_ += added.xy;
  yy_ += added.yy;
}

std::optional<TaskTimeRegression::Slope> TaskTimeRegression::Fit() const {
  if (Freedom() < kLeastFreedom || xx_ <= 0) return std::nullopt;
  return Slope{xy_ / xx_, std::sqrt(ResidualVariance() / xx_)};
}

double TaskTimeRegression::ResidualVariance() const {
  if (Freedom() < kLeastFreedom || xx_ <= 0) return 0;
  const double residual = std::max(yy_ - xy_ / xx_ * xy_, 0.0);
  return residual / static_cast<double>(Freedom());
}

double TaskTimeRegression::VarianceOfTimes() const {
  return Freedom() < kLeastFreedom ? 0 : yy_ / static_cast<double>(Freedom() + 1);
}

}  // namespace evenkeel::scheduling
