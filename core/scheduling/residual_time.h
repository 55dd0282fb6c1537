#pragma once

namespace evenkeel::scheduling {

/// How uncertain the time of a task on one worker is: relative variances (the squared coefficients
/// of variation).
struct TimeUncertainty {
  double task = 0;  ///< of tasks that were declared equally long, on one worker
  double rate = 0;  ///< of the estimate of the worker's rate
};

/// The time that a task goes on: a generalized Pareto distribution.
struct ResidualTime {
  double mean = 0;   ///< seconds
  double shape = 0;  ///< below 1; a heavy tail above 0, a longest time below

  /// Expected part of it that lies between these times, 0 <= from <= to: the integral of the
  /// survival function.
  [[nodiscard]] double MeanWithin(double from, double to) const;

 private:
  [[nodiscard]] double MeanBeyond(double seconds) const;
};

/// For how long a task goes on after it has run for `elapsed` seconds, if a task was
/// expected to take `mean` seconds: the residual life.
///
/// The time of a task is taken to have a generalized Pareto distribution of that mean and of the
/// variance c2 that task and rate give together. Its shape is xi = (1 - 1 / c2) / 2, and its mean
/// residual life is linear: mean + elapsed * xi / (1 - xi) (Davison and Smith, "Models for
/// exceedances over high thresholds", JRSS B 52, 1990, section 2). It falls to 0 where variances
/// are small, is constant for exponential times, and rises for heavy tails.
///
/// If a task should have ended long ago, the estimate of the worker's rate is in doubt. With a
/// gamma distribution of the rate of relative variance v, the times of tasks have a Lomax
/// distribution, whose mean residual life rises by v / (1 - v) of the elapsed time.
///
/// A task that has run for longer than the distribution allows at all runs on a worker with a
/// fault: it has stopped, or is slower than before by an unknown factor. With a Pareto distribution
/// of that (index 3) it goes on for half of the time by which it is late.
[[nodiscard]] ResidualTime ResidualOf(double mean, double elapsed,
                                      const TimeUncertainty& uncertainty);

}  // namespace evenkeel::scheduling
