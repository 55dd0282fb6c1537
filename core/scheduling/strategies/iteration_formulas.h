#pragma once

#include <cstdint>
#include <vector>

/// The arithmetic of AdaptiveIterative: D. Sanchez, E. Macias and A. Suarez, "Effective Load
/// Balancing on a LAN-WLAN Cluster", section 3. Times are seconds.
namespace evenkeel::scheduling {

/// Measured times of process p in iteration j.
struct IterationTimes {
  double n_unit = 0;  ///< units that it was sent, > 0
  /// t_exe: from the moment in which the iteration's first data leave the master until the results
  /// of p are there; so waiting for the others' data and both transfers are in it. > 0.
  double t_exe = 0;
  double t_calc = 0;  ///< what p itself spent calculating, >= 0
};

/// Time per unit of a process (section 3.2).
enum class UnitTime {
  /// t_calc_unit + t_comm_unit with t_calc_unit = t_calc / n_unit and
  /// t_comm_unit = (t_exe - t_calc) / n_unit, as published.
  kWithCommunication,
  /// t_calc_unit alone: the authors' earlier mechanism, against which they compare.
  kCalculationOnly,
};

/// n_unit(j+1) of each process, not rounded (section 3.2):
///   n_unit(j+1)(p) = mean over all processes of t_exe(j) / (t_calc_unit(p) + t_comm_unit(p)).
/// With kCalculationOnly both times are t_calc's.
[[nodiscard]] std::vector<double> NextUnits(const std::vector<IterationTimes>& times,
                                            UnitTime unit_time);

/// perf_f(j)(p) = n_unit(j)(p) / t_exe(j)(p) (section 3.3): data go out to the largest one first.
[[nodiscard]] double PerformanceFactor(const IterationTimes& times, UnitTime unit_time);

/// `units` (positive sum) made smaller in proportion, so that their sum is `rest`, which is not
/// larger than their sum now: prefix sums in proportion, rounded up, so that the remainder goes
/// to the first. For the last iteration, of which the paper says nothing.
[[nodiscard]] std::vector<std::int64_t> ScaledTo(std::int64_t rest,
                                                 const std::vector<std::int64_t>& units);

}  // namespace evenkeel::scheduling
