#include "core/scheduling/index_trend.h"

#include <algorithm>
#include <cmath>

namespace evenkeel::scheduling {
namespace {

constexpr double kErrorsOfTrend = 3;
constexpr double kLeastRelativeCost = 0.05;
constexpr int kIterations = 16;

}  // namespace

void IndexTrend::Observe(WorkerId worker, model::IndexRange tasks, double seconds) {
  if (tasks.Empty()) return;
  const auto count = static_cast<double>(tasks.Size());
  const double middle = tasks.Middle();
  regression_.Observe(worker, middle, tasks.Size(), seconds);
  Sums& own = workers_[worker.value];
  const RunningMeans::Added added = own.means.Add(middle, seconds / count, count);
  own.xx += added.xx;
  own.xy += added.xy;
}

IndexTrend::Direction IndexTrend::Found() const {
  const auto slope = regression_.Fit();
  if (!slope || std::fabs(slope->value) <= kErrorsOfTrend * slope->standard_error) {
    return Direction::kNone;
  }
  return slope->value > 0 ? Direction::kRising : Direction::kFalling;
}

// With the relative cost c(i) = 1 + slope * (i - middle), a worker's times are its own factor times
// c(i): relative to their mean they rise by slope / c(its mean index).
bool IndexTrend::Refit(std::int64_t tasks) {
  const std::int64_t observations = regression_.Observations();
  if (observations < refit_at_ || tasks < 2) return false;
  refit_at_ = observations + 1 + observations / 4;
  const double before = slope_;
  middle_ = static_cast<double>(tasks) / 2;
  slope_ = 0;
  if (Found() == Direction::kNone) return before != 0;
  const double steepest = (1 - kLeastRelativeCost) / middle_;
  for (int i = 0; i < kIterations; ++i) {
    double xx = 0;
    double xy = 0;
    for (const Sums& own : workers_) {
      if (own.xx <= 0 || own.means.Y() <= 0) continue;
      const double cost = RelativeCost(own.means.X());
      xx += own.xx / (cost * cost);
      xy += own.xy / (own.means.Y() * cost);
    }
    if (xx <= 0) break;
    slope_ = std::clamp(xy / xx, -steepest, steepest);
  }
  return true;
}

double IndexTrend::RelativeCost(double index) const {
  return std::max(1 + slope_ * (index - middle_), kLeastRelativeCost);
}

}  // namespace evenkeel::scheduling
