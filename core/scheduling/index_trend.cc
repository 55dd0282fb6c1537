#include "core/scheduling/index_trend.h"

#include <cmath>

namespace evenkeel::scheduling {
namespace {

constexpr double kErrorsOfTrend = 3;

}  // namespace

void IndexTrend::Observe(WorkerId worker, model::IndexRange tasks, double seconds) {
  if (tasks.Empty()) return;
  const double middle = static_cast<double>(tasks.begin) + static_cast<double>(tasks.Size()) / 2;
  regression_.Observe(worker, middle, tasks.Size(), seconds);
}

IndexTrend::Direction IndexTrend::Found() const {
  const auto slope = regression_.Fit();
  if (!slope || std::fabs(slope->value) <= kErrorsOfTrend * slope->standard_error) {
    return Direction::kNone;
  }
  return slope->value > 0 ? Direction::kRising : Direction::kFalling;
}

}  // namespace evenkeel::scheduling
