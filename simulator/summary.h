#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/scenario_run.h"

namespace evenkeel::simulator {

/// A median with its 95 % confidence interval.
struct Median {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The interval is that of the sign test: the order statistics whose ranks are the 2.5 % and the
/// 97.5 % quantile of the binomial distribution with probability 1/2, so it assumes
/// nothing of their distribution. With fewer than six values it spans all of them. None: zeros.
[[nodiscard]] Median MedianOf(std::vector<double> values);

/// All repetitions of one scenario under one strategy.
struct Summary {
  std::string scenario;
  std::string strategy;
  std::int64_t repetitions = 0;
  std::int64_t completed = 0;  ///< of them; the figures are of these
  Median makespan_seconds;
  Median over_bound;  ///< makespan / lower bound
  Median load_imbalance_percent;
  Median utilization;
  Median messages;
  Median reserved_moves;
  Median leased_moves;
  Median copies;
  Median wasted_seconds;
  std::optional<Median> joules;  ///< if known of all
};

/// One a pair of scenario and strategy, in the order in which they first come.
[[nodiscard]] std::vector<Summary> Summarize(const std::vector<ScenarioRun>& runs);

}  // namespace evenkeel::simulator
