#include "bench/tournament/league.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

namespace evenkeel::tournament {
namespace {

double LowerRegret(const Played& played, double errors) {
  return played.result.regret.mean - errors * played.result.regret.standard_error;
}

double ShareBelow(const std::vector<const Played*>& played, double limit) {
  const auto count = std::count_if(played.begin(), played.end(), [limit](const Played* one) {
    return LowerRegret(*one, 1) <= limit;
  });
  return static_cast<double>(count) / static_cast<double>(played.size());
}

/// 0 if there is none.
double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string Percent(double part, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, 100 * part);
  return text.data();
}

void WriteRow(const std::string& name, const std::vector<const Played*>& played,
              std::ostream& out) {
  const Standing standing = StandingOf(played);
  out << "| " << name << " | " << standing.draws << " | " << Percent(standing.within_1, 1) << " | "
      << Percent(standing.within_3, 1) << " | " << Percent(standing.no_worse, 1) << " | "
      << Percent(standing.median, 2) << " | " << Percent(standing.mean, 2) << " | "
      << Percent(standing.worst, 1) << " | " << Percent(standing.over_oracle - 1, 1) << " |\n";
}

}  // namespace

Standing StandingOf(const std::vector<const Played*>& played) {
  Standing standing;
  standing.draws = static_cast<std::int64_t>(played.size());
  if (played.empty()) return standing;
  standing.within_1 = ShareBelow(played, 0.01);
  standing.within_3 = ShareBelow(played, 0.03);
  standing.no_worse = ShareBelow(played, 0);
  std::vector<double> regrets;
  std::vector<double> oracles;
  standing.worst = LowerRegret(*played.front(), 2);
  for (const Played* one : played) {
    regrets.push_back(one->result.regret.mean);
    standing.mean += one->result.regret.mean / static_cast<double>(played.size());
    standing.worst = std::max(standing.worst, LowerRegret(*one, 2));
    if (one->over_oracle) oracles.push_back(*one->over_oracle);
  }
  standing.median = MedianOf(std::move(regrets));
  standing.over_oracle = MedianOf(std::move(oracles));
  return standing;
}

void WriteStandings(const std::vector<Played>& played, std::ostream& out) {
  out << "| | draws | within 1 %, % | within 3 %, % | ahead or tied, % | median regret, % | mean "
         "regret, % | worst regret, % | median above the oracle, % "
         "|\n|---|---|---|---|---|---|---|---|---|\n";
  std::vector<const Played*> all;
  std::vector<std::string> dimensions;
  std::map<std::string, std::map<std::string, std::vector<const Played*>>> by_value;
  for (const Played& one : played) {
    all.push_back(&one);
    for (const auto& [dimension, value] : one.draw.dimensions) {
      if (by_value.count(dimension) == 0) dimensions.push_back(dimension);
      by_value[dimension][value].push_back(&one);
    }
  }
  WriteRow("all", all, out);
  for (const std::string& dimension : dimensions) {
    for (const auto& [value, some] : by_value[dimension]) {
      WriteRow(dimension + ": " + value, some, out);
    }
  }
}

void WriteLeague(const std::vector<Played>& played, std::ostream& out) {
  struct Row {
    std::string name;
    std::int64_t draws = 0;
    std::int64_t within = 0;
    double mean = 0;
    double worst = 0;
  };
  std::map<std::string, Row> rows;
  for (const Played& one : played) {
    for (const auto& [name, regret] : one.result.race_regret) {
      Row& row = rows[name];
      row.name = name;
      ++row.draws;
      row.within += regret <= 0.01 ? 1 : 0;
      row.mean += regret;
      row.worst = std::max(row.worst, regret);
    }
  }
  std::vector<Row> league;
  for (auto& [name, row] : rows) {
    row.mean /= static_cast<double>(row.draws);
    league.push_back(row);
  }
  std::stable_sort(league.begin(), league.end(), [](const Row& one, const Row& other) {
    return one.within * other.draws > other.within * one.draws;
  });
  out << "| technique | draws | within 1 % of the best, % | mean regret, % | worst regret, % |\n"
         "|---|---|---|---|---|\n";
  for (const Row& row : league) {
    out << "| " << row.name << " | " << row.draws << " | "
        << Percent(static_cast<double>(row.within) / static_cast<double>(row.draws), 1) << " | "
        << Percent(row.mean, 1) << " | " << Percent(row.worst, 0) << " |\n";
  }
}

std::vector<const Played*> LargestRegrets(const std::vector<Played>& played, std::size_t count) {
  std::vector<const Played*> worst;
  for (const Played& one : played) worst.push_back(&one);
  std::stable_sort(worst.begin(), worst.end(), [](const Played* one, const Played* other) {
    return LowerRegret(*one, 2) > LowerRegret(*other, 2);
  });
  worst.resize(std::min(count, worst.size()));
  return worst;
}

void WriteJson(const std::vector<Played>& played, std::ostream& out) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Played& one : played) {
    nlohmann::ordered_json dimensions;
    for (const auto& [name, value] : one.draw.dimensions) dimensions[name] = value;
    all.push_back({{"seed", one.draw.seed},
                   {"dimensions", dimensions},
                   {"rival", one.result.rival},
                   {"regret", one.result.regret.mean},
                   {"standardError", one.result.regret.standard_error},
                   {"pairs", one.result.regret.values},
                   {"overBound", one.result.over_bound},
                   {"seconds", one.seconds}});
  }
  out << all.dump(1) << "\n";
}

}  // namespace evenkeel::tournament
