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
  double standard_error = 0.005;              ///< pairs are added until the regret is known to this
  std::int64_t least_pairs = 4;               ///< at least so many
  std::int64_t most_pairs = 200;              ///< at most so many
  std::vector<std::int64_t> rounds{2, 4, 6};  ///< seeds of each round of the race for the rival
  std::vector<std::size_t> kept{8, 3, 1};     ///< rivals that are left after each round
  /// A regret is known well enough if it is below 0 by so many standard errors, after
  /// `least_pairs_ahead`: how far ahead the contender is does not matter.
  double errors_ahead = 3;
  std::int64_t least_pairs_ahead = 8;
  double hopeless = 1.5;  ///< a rival so many times above the best of its round is out at once
};

/// The result of one draw.
struct ContestResult {
  std::string rival;
  Estimate regret;  ///< ours against the rival, on seeds on which the rival was not chosen
  /// Of each contender on the seeds of the race: its makespans relative to those of the best
  /// contender of all on the same seeds, minus 1.
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
  [[nodiscard]] bool KnownWellEnough(const Estimate& regret) const;
  /// Mean over the seeds of the race so far.
  [[nodiscard]] double Mean(const std::string& contender) const;
  [[nodiscard]] std::map<std::string, double> RaceRegrets() const;

  ContestOptions options_;
  Measure measure_;
  std::int64_t seeds_ = 0;                              // of the race so far
  std::map<std::string, std::vector<double>> results_;  // of the race, by seed
};

}  // namespace evenkeel::tournament
