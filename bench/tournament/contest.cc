#include "bench/tournament/contest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel::tournament {
namespace {

double MeanOf(const std::vector<double>& values, std::size_t count) {
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size()));
  return std::accumulate(values.begin(), end, 0.0) / static_cast<double>(end - values.begin());
}

}  // namespace

Estimate Regret(const std::vector<double>& ours, const std::vector<double>& theirs) {
  Estimate regret;
  regret.values = static_cast<std::int64_t>(ours.size());
  const double sum = std::accumulate(theirs.begin(), theirs.end(), 0.0);
  if (sum <= 0) return regret;
  const double ratio = std::accumulate(ours.begin(), ours.end(), 0.0) / sum;
  regret.mean = ratio - 1;
  const auto count = static_cast<double>(ours.size());
  if (count < 2) {
    regret.standard_error = std::numeric_limits<double>::infinity();
    return regret;
  }
  double squares = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double residual = ours[i] - ratio * theirs[i];
    squares += residual * residual;
  }
  regret.standard_error = std::sqrt(squares / (count - 1) / count) / (sum / count);
  return regret;
}

void Contest::Race(std::int64_t seeds, const std::vector<std::string>& contenders) {
  for (std::int64_t seed = seeds_; seed < seeds_ + seeds; ++seed) {
    for (const std::string& contender : contenders) {
      results_[contender].push_back(measure_(contender, seed));
    }
  }
  seeds_ += seeds;
}

bool Contest::IsPreciseEnough(const Estimate& regret) const {
  const bool ahead = regret.mean + options_.errors_ahead * regret.standard_error < 0;
  return regret.standard_error < options_.standard_error ||
         (ahead && regret.values >= options_.min_pairs_ahead);
}

double Contest::Mean(const std::string& contender) const {
  const auto& values = results_.at(contender);
  return MeanOf(values, values.size());
}

ContestResult Contest::Run(const std::string& ours, const std::vector<std::string>& rivals) {
  std::vector<std::string> left = rivals;
  for (std::size_t round = 0; round < options_.rounds.size(); ++round) {
    std::vector<std::string> contenders = left;
    contenders.push_back(ours);
    Race(options_.rounds[round], contenders);
    std::stable_sort(left.begin(), left.end(), [&](const std::string& one, const std::string& two) {
      return Mean(one) < Mean(two);
    });
    const double limit = options_.elimination_ratio * Mean(left.front());
    const auto eliminated = std::find_if(
        left.begin(), left.end(), [&](const std::string& rival) { return Mean(rival) > limit; });
    left.erase(eliminated, left.end());
    left.resize(std::min(left.size(), options_.kept[round]));
  }

  ContestResult result;
  result.rival = left.front();
  std::vector<double> mine;
  std::vector<double> theirs;
  for (std::int64_t pair = 0; pair < options_.max_pairs; ++pair) {
    mine.push_back(measure_(ours, kFirstPair + pair));
    theirs.push_back(measure_(result.rival, kFirstPair + pair));
    if (pair + 1 < options_.min_pairs) continue;
    result.regret = Regret(mine, theirs);
    if (IsPreciseEnough(result.regret)) break;
  }
  result.over_bound = MeanOf(mine, mine.size());
  result.race_regret = RaceRegrets();
  return result;
}

std::map<std::string, double> Contest::RaceRegrets() const {
  const auto best =
      std::min_element(results_.begin(), results_.end(), [](const auto& one, const auto& two) {
        if (one.second.size() != two.second.size()) return one.second.size() > two.second.size();
        return MeanOf(one.second, one.second.size()) < MeanOf(two.second, two.second.size());
      });
  std::map<std::string, double> regrets;
  for (const auto& [name, values] : results_) {
    const double other = MeanOf(best->second, values.size());
    regrets[name] = MeanOf(values, values.size()) / other - 1;
  }
  return regrets;
}

}  // namespace evenkeel::tournament
