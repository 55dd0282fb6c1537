#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::scheduling {

/// A stretch of time that ends now, and what a rise within it is multiplied with.
struct RecencyWindow {
  std::int64_t seconds = 0;  ///< whole, >= 1
  double factor = 0;         ///< > 0
};

/// Work counts half after this part of the whole period.
inline constexpr double kHalfLifePart = 0.25;

/// Windows, each four times as long as the one before, up to `whole_seconds` (>= 64): the sum of
/// factor x rise over them is all that rose, what is older counting less. A rise between a and b
/// seconds ago counts 2^(-t / half-life), t the middle of a and b, half-life a quarter of the
/// whole. Nested windows lose nothing at their borders, as a row of windows would, since a counter
/// rises between two values.
[[nodiscard]] std::vector<RecencyWindow> RecencyWindows(std::int64_t whole_seconds);

/// Mean age in seconds of work of which all counts `all`, and `weighed` when older work counts less
/// as above. 0 if that cannot be.
[[nodiscard]] double MeanAge(double all, double weighed, std::int64_t whole_seconds);

/// Work of a node in earlier jobs of one profile. Any numbers are accepted: implausible samples are
/// dropped.
struct RateSample {
  double units = 0;         ///< work done, older work counting less
  double busy_seconds = 0;  ///< inside tasks for it, summed over threads, weighed in the same way
  double age_seconds = 0;   ///< mean age of that work

  friend bool operator==(const RateSample&, const RateSample&) = default;
};

/// A node that is to be weighed.
struct NodeToBlend {
  std::string name;
  double prior_ratio = 1;     ///< fuzzy weight relative to the other nodes, > 0
  std::uint32_t threads = 1;  ///< that its worker will have, >= 1
  std::optional<RateSample> sample;
};

/// A blended weight and all that it was made of.
struct BlendedNode {
  std::string name;
  double ratio = 1;          ///< relative to the lightest, 1 to 1e6
  double prior_ratio = 1;    ///< the fuzzy part
  double measured_rate = 0;  ///< the history's part: units a second of all threads; 0: none counts
  double busy_seconds = 0;   ///< that measured_rate stands on
  double age_seconds = 0;    ///< of that
  double confidence = 0;     ///< share of the history in the weight, 0 to 1
  double rate = 0;           ///< blended, units a second of all threads; 0 if no node has a history
  double sigma = 0;          ///< standard deviation of `rate`, relative to it; at most 1
  std::string note;          ///< why its history was left out; empty if it was not, or has none
};

struct BlendOptions {
  /// Standard deviation of the logarithm of a fuzzy ratio: labels say little.
  double prior_sigma = 0.5;
  /// That of a rate between two jobs of a profile, however long they ran.
  double drift_sigma = 0.1;
  /// The variance of a rate that was measured over one second of work in tasks, times one second.
  double second_variance = 0.1;
  /// After this time the variance of the drift has doubled.
  double drift_seconds = 42 * 3600;
  /// A rate that differs by more than this factor from what the other nodes' histories and the
  /// fuzzy ratios say together is no measurement.
  double absurd_factor = 100;
  /// A shorter sample is none.
  double least_busy_seconds = 0.05;
};

/// Blends fuzzy weights with measured rates.
///
/// Rates are those of a thread (units / busy seconds), since a node may offer another number of
/// threads than before, times the threads it will have now. All is done with logarithms: errors of
/// speeds are factors, and so no weight can become 0 or negative. With r_j the node's measured rate
/// and f_j its fuzzy ratio:
///
///     p_j = log f_j + S,  S the weighted median of log(r_j / f_j) over the nodes that have both,
///                         each with the weight 1 / h_j
///     h_j = drift^2 (1 + age_j / drift_seconds) + second_variance / busy_j
///     d_j = log r_j - p_j
///     c_j = (prior^2 + d_j^2) / (prior^2 + d_j^2 + h_j)
///     log rate_j = p_j + c_j d_j,     p_j where there is no history
///
/// c is the minimum-variance mean of two independent estimates, in which a prior that is
/// contradicted is worth less: its variance is at least what it was found to be wrong by (as in
/// TimingEstimator). A node that is measured to be faster never weighs less, and only ratios
/// between rates matter, not their unit.
///
/// Left out, with a note: what is no rate between 1e-15 and 1e18 units a second; samples that are
/// too short; rates that are absurd. The result has the order of `nodes`, and is the same for any
/// order. Pure.
[[nodiscard]] std::vector<BlendedNode> BlendRates(const std::vector<NodeToBlend>& nodes,
                                                  const BlendOptions& options);

}  // namespace evenkeel::scheduling
