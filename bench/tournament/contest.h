#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evenkeel::tournament {

/// A mean with its standard error.
struct Estimate {
  double mean = 0;
  double standard_error = 0;
  std::int64_t values = 0;
};

/// The regret of a contender against a rival from pairs on the same seeds: sum(ours) / sum(theirs)
/// - 1. The standard error is that of a ratio estimator (Cochran, Sampling Techniques, 3rd ed.,
/// eq. 6.13). Without pairs: zeros.
[[nodiscard]] Estimate Regret(const std::vector<double>& ours, const std::vector<double>& theirs);

struct ContestOptions {
  double standard_error = 0.005;  ///< pairs are added until the regret's error is below this
  std::int64_t min_pairs = 4;
  std::int64_t max_pairs = 200;
  std::vector<std::int64_t> rounds{2, 4, 6};  ///< seeds of each round of the race for the rival
  std::vector<std::size_t> kept{8, 3, 1};     ///< number of rivals that remain after each round
  /// A regret is also precise enough if it is below 0 by this many standard errors after
  /// `min_pairs_ahead` pairs: the lead of the contender need not be known.
  double errors_ahead = 3;
  std::int64_t min_pairs_ahead = 8;
  double elimination_ratio =
      1.5;  ///< a rival worse than the best of its round by this factor is eliminated
};

/// The result of one draw.
struct ContestResult {
  std::string rival;
  Estimate regret;  ///< ours against the rival, on seeds on which the rival was not chosen
  /// For each contender, the ratio of its makespans to those of the best contender on the seeds of
  /// the race, minus 1.
  std::map<std::string, double> race_regret;
  double over_bound = 0;  ///< ours: mean makespan / lower bound
};

/// The makespan of a contender on a seed, relative to the lower bound.
using Measure = std::function<double(const std::string& contender, std::int64_t seed)>;

/// Chooses the best rival of `ours` by successive halving on seeds from 0, then measures the regret
/// against it on seeds from `first_pair` on. `rivals` must not be empty.
class Contest {
 public:
  static constexpr std::int64_t kFirstPair = 1000;

  Contest(ContestOptions options, Measure measure)
      : options_(std::move(options)), measure_(std::move(measure)) {}

  [[nodiscard]] ContestResult Run(const std::string& ours, const std::vector<std::string>& rivals);

 private:
  void Race(std::int64_t seeds, const std::vector<std::string>& contenders);
  [[nodiscard]] bool IsPreciseEnough(const Estimate& regret) const;
  /// Mean over the seeds of the race so far.
  [[nodiscard]] double Mean(const std::string& contender) const;
  [[nodiscard]] std::map<std::string, double> RaceRegrets() const;

  ContestOptions options_;
  Measure measure_;
  std::int64_t seeds_ = 0;                              // of the race so far
  std::map<std::string, std::vector<double>> results_;  // of the race, by seed
};

}  // namespace evenkeel::tournament
