#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "simulator/scenario.h"
#include "simulator/scenario_run.h"

namespace evenkeel::tournament {

/// All strategies and techniques. Chunk techniques also with reissue, as "NAME+R".
[[nodiscard]] std::vector<simulator::Variant> AllPlayers();

/// Runs players on one scenario. All of them get the same draw for a seed.
/// Not thread-safe.
class ScenarioPlayer {
 public:
  /// `yaml` is the text of a scenario file.
  [[nodiscard]] static Result<ScenarioPlayer> Create(
      const std::string& yaml, const std::vector<simulator::Variant>& players);

  /// Makespan relative to the lower bound; kNeverComplete if the job did not complete.
  [[nodiscard]] double Measure(const std::string& player, std::int64_t seed);

  /// Makespan of a clairvoyant list schedule, relative to the lower bound: with costs, speeds and
  /// deaths known, the longest task first, each on the thread on which it ends first (Graham,
  /// "Bounds on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969). Data and arrivals
  /// take no time. Nothing if that would take too long to compute.
  [[nodiscard]] std::optional<double> Oracle(std::int64_t seed);

  static constexpr double kNeverComplete = 1e6;

 private:
  /// Returns the drawn repetition of the seed, from the last call if it is the same.
  const simulator::Repetition& Draw(std::int64_t seed);

  ScenarioPlayer(std::unique_ptr<simulator::Scenario> scenario,
                 std::map<std::string, simulator::Variant> players)
      : scenario_(std::move(scenario)), players_(std::move(players)) {}

  std::unique_ptr<simulator::Scenario> scenario_;  // the repetition refers to it
  std::map<std::string, simulator::Variant> players_;
  std::int64_t seed_ = -1;  // of the repetition
  std::unique_ptr<simulator::Repetition> repetition_;
};

}  // namespace evenkeel::tournament
