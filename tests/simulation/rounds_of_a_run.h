#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "simulator/simulation.h"

/// The rounds of a run, for strategies that have rounds.
namespace evenkeel {

struct RoundsOfARun {
  simulator::Outcome outcome;
  /// By round and node: when it brought the last of its units, seconds from the round's start.
  std::vector<std::map<std::string, double>> t_exe;

  [[nodiscard]] double Seconds() const { return ToSeconds(outcome.makespan); }
};

/// Runs it to its end and reads the rounds off the messages.
[[nodiscard]] inline RoundsOfARun RunRounds(simulator::SimulationConfig simulation) {
  struct Arrival {
    double at;
    std::string node;
  };
  std::vector<Arrival> reports;
  simulation.trace = [&reports](const std::string& line) {
    const std::size_t report = line.find(" -> report [");
    if (report == std::string::npos) return;
    const std::size_t node = line.find_first_not_of(" 0123456789.");
    reports.push_back({std::stod(line), line.substr(node, report - node)});
  };
  RoundsOfARun run;
  run.outcome = simulator::Simulation(std::move(simulation)).Run();
  EXPECT_EQ(run.outcome.state, model::JobState::kComplete);
  for (const std::int64_t times : run.outcome.times_durable) EXPECT_EQ(times, 1);
  constexpr double kLineRounding = 1e-6;
  for (const auto& round : run.outcome.stages) {
    auto& t_exe = run.t_exe.emplace_back();
    const double start = ToSeconds(round.start);
    for (const Arrival& report : reports) {
      const bool within =
          report.at > start + kLineRounding && report.at <= ToSeconds(round.end) + kLineRounding;
      if (within) t_exe[report.node] = report.at - start;
    }
  }
  return run;
}

/// Standard deviation of t_exe over the nodes, as a share of its mean.
[[nodiscard]] inline double Spread(const std::map<std::string, double>& t_exe) {
  double sum = 0;
  for (const auto& each : t_exe) sum += each.second;
  const double mean = sum / static_cast<double>(t_exe.size());
  double squares = 0;
  for (const auto& each : t_exe) squares += (each.second - mean) * (each.second - mean);
  return std::sqrt(squares / static_cast<double>(t_exe.size())) / mean;
}

}  // namespace evenkeel
