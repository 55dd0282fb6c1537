#include "simulator/scenario_run.h"

#include <algorithm>
#include <numeric>

#include "core/model/run_figures.h"
#include "simulator/scenario_drawing.h"
#include "simulator/scenario_energy.h"
#include "simulator/simulation.h"

namespace evenkeel::simulator {
namespace {

std::vector<double> FinishSeconds(const engine::Progress& progress) {
  std::vector<double> seconds;
  for (const auto& node : progress.nodes) seconds.push_back(ToSeconds(node.last_end));
  return seconds;
}

/// The others are not there.
void KeepFirst(std::int64_t count, SimulationConfig& simulation) {
  std::vector<bool> kept(simulation.nodes.size());
  std::fill_n(kept.begin(), std::min(static_cast<std::size_t>(count), kept.size()), true);
  KeepOnly(kept, simulation);
}

}  // namespace

Repetition::Repetition(const Scenario& scenario, std::uint64_t seed)
    : scenario_(scenario),
      seed_(seed),
      simulation_(DrawSimulation(scenario, seed)),
      bound_(LowerBound(simulation_)) {}

ScenarioRun Repetition::Run(const Variant& variant, const Recorder& recorder) const {
  SimulationConfig config = simulation_;
  config.job.balancing = variant.balancing;
  config.technique = variant.technique;
  config.technique_options = variant.technique_options;
  config.recorder = recorder;
  if (variant.nodes) KeepFirst(*variant.nodes, config);
  const double bound = variant.nodes ? LowerBound(config) : bound_;
  const auto nodes = static_cast<std::int64_t>(config.nodes.size());
  const double cores =
      std::accumulate(config.nodes.begin(), config.nodes.end(), 0.0,
                      [](double sum, const NodeModel& node) { return sum + node.threads; });
  LeaveOutForEnergy(config);
  const Outcome outcome = Simulation(config).Run();

  ScenarioRun run;
  run.scenario = scenario_.name;
  run.strategy = variant.name;
  run.seed = seed_;
  run.state = outcome.state;
  run.makespan_seconds = ToSeconds(outcome.makespan);
  run.lower_bound_seconds = bound;
  run.load_imbalance_percent = model::LoadImbalancePercent(FinishSeconds(outcome.progress));
  run.wasted_seconds = outcome.progress.wasted_seconds;
  run.coordinator_bytes = outcome.coordinator_bytes;
  run.messages = outcome.messages_sent;
  run.moves = outcome.progress.moves;
  run.tasks = static_cast<std::int64_t>(simulation_.true_costs.size());
  run.nodes = nodes;
  run.stages = outcome.stages;
  run.joules = JoulesOfJob(config, outcome);
  if (run.makespan_seconds <= 0) return run;
  const double busy =
      std::accumulate(outcome.busy_seconds.begin(), outcome.busy_seconds.end(), 0.0);
  run.utilization = model::Utilization(busy, cores, run.makespan_seconds);
  run.coordinator_utilization = outcome.coordinator_seconds / run.makespan_seconds;
  run.efficiency = model::Efficiency(bound, run.makespan_seconds);
  return run;
}

}  // namespace evenkeel::simulator
