#pragma once

#include <variant>

#include "core/base/rng.h"

namespace evenkeel::simulator {

struct Constant {
  double value = 0;
};
struct Uniform {
  double low = 0;
  double high = 0;
};
struct Exponential {
  double mean = 0;
};
/// The logarithm is normal with standard deviation `sigma`; the mean of the values is `mean`.
struct LogNormal {
  double mean = 0;
  double sigma = 0;
};
/// P(X > x) = (least / x)^shape for x >= least, of Pareto's first kind, with the least value that
/// gives this mean; shape > 1. With a shape of 2 or less the variance is infinite.
struct Pareto {
  double mean = 0;
  double shape = 0;
};
/// A distribution of positive numbers.
using Distribution = std::variant<Constant, Uniform, Exponential, LogNormal, Pareto>;

/// Draws a value; the same for the same state of `rng` on every machine.
[[nodiscard]] double Draw(const Distribution& distribution, Rng& rng);
/// The mean of the distribution.
[[nodiscard]] double MeanOf(const Distribution& distribution);

}  // namespace evenkeel::simulator
