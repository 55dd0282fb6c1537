#include "core/scheduling/residual_time.h"

#include <algorithm>

namespace evenkeel::scheduling {
namespace {

// Beyond this shape the variance is infinite.
constexpr double kLargestShape = 0.45;
constexpr double kLargestRateVariance = 0.5;
// The clock, the network and the report take part in every measurement.
constexpr double kLeastVariance = 1e-4;
constexpr double kSmallestShape = 1e-9;
// 1 / (alpha - 1) with alpha = 3.
constexpr double kOverdueGoesOn = 0.5;

}  // namespace

double MeanResidualSeconds(double mean, double elapsed, const TimeUncertainty& uncertainty) {
  const double task = std::max(uncertainty.task, 0.0);
  const double rate = std::clamp(uncertainty.rate, kLeastVariance, kLargestRateVariance);
  const double variance = task + rate + task * rate;  // of a product of independent factors
  const double shape = std::min((1 - 1 / variance) / 2, kLargestShape);
  const double by_tasks = mean + elapsed * shape / (1 - shape);
  const double by_rate = elapsed * rate / (1 - rate);
  // With a negative shape there is a longest time, where by_tasks is 0.
  const double longest = mean * (1 - shape) / std::max(-shape, kSmallestShape);
  const double by_fault = shape < 0 ? kOverdueGoesOn * (elapsed - longest) : 0;
  return std::max({by_tasks, by_rate, by_fault});
}

}  // namespace evenkeel::scheduling
