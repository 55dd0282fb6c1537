#include "core/scheduling/residual_time.h"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"

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

ResidualTime ResidualOf(double mean, double elapsed, const TimeUncertainty& uncertainty) {
  const double task = std::max(uncertainty.task, 0.0);
  const double rate = std::clamp(uncertainty.rate, kLeastVariance, kLargestRateVariance);
  const double variance = task + rate + task * rate;  // of a product of independent factors
  const double shape = std::min((1 - 1 / variance) / 2, kLargestShape);
  const double by_tasks = mean + elapsed * shape / (1 - shape);
  const double by_rate = elapsed * rate / (1 - rate);
  // With a negative shape there is a longest time, where by_tasks is 0.
  const double longest = mean * (1 - shape) / std::max(-shape, kSmallestShape);
  const double by_fault = shape < 0 ? kOverdueGoesOn * (elapsed - longest) : 0;
  ResidualTime residual{by_tasks, shape};
  if (by_rate > residual.mean) residual = {by_rate, rate};
  if (by_fault > residual.mean) residual = {by_fault, kOverdueGoesOn / (1 + kOverdueGoesOn)};
  return residual;
}

double ResidualTime::MeanWithin(double from, double to) const {
  return MeanBeyond(from) - MeanBeyond(to);
}

// The integral of the survival function 1 / (1 + shape * t / scale)^(1 / shape).
double ResidualTime::MeanBeyond(double seconds) const {
  if (mean <= 0) return 0;
  const double scale = mean * (1 - shape);
  if (std::abs(shape) < kSmallestShape) return mean * PortableExp(-seconds / scale);
  const double base = 1 + shape * seconds / scale;
  return base <= 0 ? 0 : mean * PortablePower(base, 1 - 1 / shape);
}

}  // namespace evenkeel::scheduling
