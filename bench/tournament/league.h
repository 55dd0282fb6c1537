#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "bench/tournament/contest.h"
#include "bench/tournament/draw.h"

namespace evenkeel::tournament {

/// A draw and its result.
struct Played {
  Draw draw;
  ContestResult result;
  /// Ours / the clairvoyant list schedule, each a mean relative to the lower bound.
  std::optional<double> over_oracle{};
  double seconds = 0;  ///< CPU time of the contest
};

/// Statistics of the regrets of several draws.
struct Standing {
  std::int64_t draws = 0;
  double within_1 = 0;     ///< share with mean regret - 1 standard error of at most 1 %
  double within_3 = 0;     ///< the same of 3 %
  double no_worse = 0;     ///< ahead or tied: mean - 1 standard error of at most 0
  double median = 0;       ///< regret
  double mean = 0;         ///< regret
  double worst = 0;        ///< regret minus 2 standard errors
  double over_oracle = 0;  ///< median; 0 if unknown for all draws
};

[[nodiscard]] Standing StandingOf(const std::vector<const Played*>& played);

/// Writes the standing over all draws and by each value of each dimension, as a Markdown table.
void WriteStandings(const std::vector<Played>& played, std::ostream& out);
/// Writes one row a contender: share of draws within 1 % of the best contender, mean and worst
/// regret, on the seeds of the race.
void WriteLeague(const std::vector<Played>& played, std::ostream& out);
/// The `count` draws with the largest regrets, worst first.
[[nodiscard]] std::vector<const Played*> LargestRegrets(const std::vector<Played>& played,
                                                        std::size_t count);
/// Writes an array of objects: seed, dimensions, rival, regret, standardError, pairs, overBound,
/// seconds.
void WriteJson(const std::vector<Played>& played, std::ostream& out);

}  // namespace evenkeel::tournament
