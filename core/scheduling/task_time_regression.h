#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/running_means.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// How the logarithm of the time of a task rises with some x: the slope that all workers have in
/// common, by least squares with a constant per worker (the within estimator; Wooldridge,
/// "Econometric Analysis of Cross Section and Panel Data", 2002, section 10.5). Tasks are compared
/// with those of the same worker only, so that unequal workers do not matter. Not thread-safe. All
/// calls O(1).
class TaskTimeRegression {
 public:
  void AddWorker() { workers_.emplace_back(); }
  [[nodiscard]] std::size_t Workers() const { return workers_.size(); }
  [[nodiscard]] std::int64_t Observations() const { return observations_; }
  /// The worker ran so many tasks, > 0, with a mean of `x` in `seconds` together.
  void Observe(WorkerId worker, double x, std::int64_t tasks, double seconds);

  struct Slope {
    double value = 0;
    double standard_error = 0;
  };
  /// Nothing with fewer than 6 degrees of freedom, or if x never differed.
  [[nodiscard]] std::optional<Slope> Fit() const;
  /// Variance of the logarithm of the time of one task around the line of its worker. 0 while Fit()
  /// is nothing.
  [[nodiscard]] double ResidualVariance() const;
  /// Variance of the logarithm of the time of one task around the mean of its worker. 0 with fewer
  /// than 6 degrees of freedom.
  [[nodiscard]] double VarianceOfTimes() const;

 private:
  [[nodiscard]] std::int64_t Freedom() const { return observations_ - observed_workers_ - 1; }

  std::vector<RunningMeans> workers_;  // of x and log(seconds)
  // Sums of squares and products over all workers, around the means of each.
  double xx_ = 0;
  double xy_ = 0;
  double yy_ = 0;
  std::int64_t observations_ = 0;
  std::int64_t observed_workers_ = 0;
};

}  // namespace evenkeel::scheduling
