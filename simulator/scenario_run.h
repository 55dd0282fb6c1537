#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/run_record.h"
#include "simulator/scenario.h"
#include "simulator/simulation_config.h"

namespace evenkeel::simulator {

/// With objective Energy: removes the nodes that get no work, as `evenkeel run` and the operator do
/// before a job begins, and their faults. Nodes that join unexpectedly are never removed. With
/// other objectives, or if no node's power is known, changes nothing.
void LeaveOutForEnergy(SimulationConfig& simulation);

/// The energy of the job as defined in docs/energy.md; nothing if the power of a node that ran
/// tasks is unknown.
[[nodiscard]] std::optional<double> JoulesOfJob(const SimulationConfig& simulation,
                                                const Outcome& outcome);

/// The result of one repetition under one strategy.
struct ScenarioRun {
  std::string scenario;
  std::string strategy;  ///< the variant's name
  std::uint64_t seed = 0;
  model::JobState state = model::JobState::kRunning;  ///< kRunning: the job did not end
  double makespan_seconds = 0;
  double lower_bound_seconds = 0;
  double efficiency = 0;               ///< bound / makespan
  double utilization = 0;              ///< busy core seconds / (cores x makespan)
  double load_imbalance_percent = 0;   ///< (1 - mean / max of the nodes' last ends) x 100
  double wasted_seconds = 0;           ///< of copies and repeats
  double coordinator_utilization = 0;  ///< seconds of its processor / makespan
  double coordinator_bytes = 0;        ///< of data of tasks that passed it, both ways
  std::int64_t messages = 0;           ///< both ways
  model::MoveCounts moves;
  std::int64_t tasks = 0;
  std::int64_t nodes = 0;
  std::vector<model::TimelineEvent> stages;  ///< of strategies that have any
  std::optional<double> joules;              ///< of the job, if the power of its nodes is known
};

/// One repetition of the scenario, drawn once and then run under any number of variants.
/// Not thread-safe.
class Repetition {
 public:
  Repetition(const Scenario& scenario, std::uint64_t seed);
  [[nodiscard]] ScenarioRun Run(const Variant& variant, const Recorder& recorder = {}) const;
  /// The configuration that was drawn.
  [[nodiscard]] const SimulationConfig& Drawn() const { return simulation_; }

 private:
  const Scenario& scenario_;
  std::uint64_t seed_;
  SimulationConfig simulation_;
  double bound_;
};

}  // namespace evenkeel::simulator
