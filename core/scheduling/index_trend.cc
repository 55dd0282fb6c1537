#include "core/scheduling/index_trend.h"

#include <algorithm>

#include "core/base/portable_math.h"

namespace evenkeel::scheduling {
namespace {

// A measurement counts as at most so many tasks.
constexpr double kMostTasks = 16;
constexpr double kLeastSeconds = 1e-9;
constexpr std::int64_t kLeastFreedom = 6;
constexpr double kStandardErrors = 3;

}  // namespace

void IndexTrend::Observe(WorkerId worker, model::IndexRange tasks, double seconds) {
  if (tasks.Empty()) return;
  const auto count = static_cast<double>(tasks.Size());
  const double weight = std::min(count, kMostTasks);
  const double x = static_cast<double>(tasks.begin) + count / 2;
  const double y = PortableLog(std::max(seconds / count, kLeastSeconds));
  Means& own = workers_[worker.value];
  if (own.weight <= 0) ++observed_workers_;
  ++observations_;
  // Welford's update: what a value adds to the sums around the means.
  const double before = own.weight;
  own.weight += weight;
  const double dx = x - own.x;
  const double dy = y - own.y;
  own.x += dx * weight / own.weight;
  own.y += dy * weight / own.weight;
  const double part = weight * before / own.weight;
  xx_ += part * dx * dx;
  xy_ += part * dx * dy;
  yy_ += part * dy * dy;
}

IndexTrend::Direction IndexTrend::Found() const {
  const std::int64_t freedom = observations_ - observed_workers_ - 1;
  if (freedom < kLeastFreedom || xx_ <= 0) return Direction::kNone;
  const double slope = xy_ / xx_;
  const double residual = std::max(yy_ - slope * xy_, 0.0);
  const double variance = residual / static_cast<double>(freedom) / xx_;
  if (slope * slope <= kStandardErrors * kStandardErrors * variance) return Direction::kNone;
  return slope > 0 ? Direction::kRising : Direction::kFalling;
}

}  // namespace evenkeel::scheduling
