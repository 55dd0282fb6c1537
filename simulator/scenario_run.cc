#include "simulator/scenario_run.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/model/run_figures.h"
#include "core/scheduling/energy/accounting.h"
#include "core/scheduling/energy/energy_choice.h"
#include "simulator/scenario_drawing.h"
#include "simulator/simulation.h"

namespace evenkeel::simulator {

std::vector<SpeedProfile> Capacities(const SimulationConfig& simulation) {
  std::vector<SpeedProfile> capacities;
  for (const NodeModel& node : simulation.nodes) {
    capacities.push_back(node.speed);
    capacities.back().AddStall(Instant{}, Instant{node.joins_at});
  }
  for (const Fault& fault : simulation.faults) {
    const bool works_on =
        fault.kind == Fault::Kind::kKillCoordinator || fault.kind == Fault::Kind::kCutLink;
    if (works_on) continue;
    const bool for_ever = fault.lasts >= kNever - Instant{fault.at};
    capacities[fault.node].AddStall(Instant{fault.at},
                                    for_ever ? kNever : Instant{fault.at} + fault.lasts);
  }
  return capacities;
}

double LowerBound(const SimulationConfig& simulation) {
  const auto& costs = simulation.true_costs;
  if (costs.empty()) return 0;
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const model::WorkSize work{total, *std::max_element(costs.begin(), costs.end())};
  double fastest = 0;
  for (const NodeModel& node : simulation.nodes) fastest = std::max(fastest, node.speed.MaxSpeed());
  const auto capacities = Capacities(simulation);
  const auto units_done = [&](Duration end) {
    double done = 0;
    for (std::size_t i = 0; i < capacities.size(); ++i) {
      done += simulation.nodes[i].threads * capacities[i].Integral(Instant{}, Instant{end});
    }
    return done;
  };
  return model::LowerBoundSeconds(work, units_done, fastest).value_or(0);
}

namespace {

double LastEnd(const Outcome& outcome, const std::string& name) {
  const auto& nodes = outcome.progress.nodes;
  const auto node =
      std::find_if(nodes.begin(), nodes.end(), [&](const auto& each) { return each.name == name; });
  return node == nodes.end() ? 0 : ToSeconds(node->last_end);
}

}  // namespace

void LeaveOutForEnergy(SimulationConfig& simulation) {
  const model::BalancingSpec& balancing = simulation.job.balancing;
  if (balancing.objective != model::Objective::kEnergy) return;
  std::vector<scheduling::EnergyCandidate> candidates;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < simulation.nodes.size(); ++i) {
    if (!simulation.nodes[i].expected) continue;
    candidates.push_back({simulation.nodes[i].ratio, simulation.nodes[i].power});
    numbers.push_back(i);
  }
  const auto choice = scheduling::ChooseForEnergy(candidates, balancing.energy);
  if (!choice) return;
  simulation.left_out_ratio = choice->left_out_ratio;
  std::vector<bool> kept(simulation.nodes.size(), true);
  for (std::size_t i = 0; i < numbers.size(); ++i) kept[numbers[i]] = choice->shares[i] > 0;
  KeepNodes(kept, simulation);
}

std::optional<double> JoulesOfJob(const SimulationConfig& simulation, const Outcome& outcome) {
  const model::EnergySpec& spec = simulation.job.balancing.energy;
  double joules = spec.standing_watts * ToSeconds(outcome.makespan);
  for (std::size_t i = 0; i < simulation.nodes.size(); ++i) {
    const NodeModel& node = simulation.nodes[i];
    if (outcome.busy_seconds[i] <= 0) continue;
    if (!node.power) return std::nullopt;
    const auto taken = model::JoulesOf(*node.power, outcome.busy_seconds[i], node.threads,
                                       LastEnd(outcome, node.name));
    joules += scheduling::Counted(taken, spec.idle_power);
  }
  return joules;
}

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
  KeepNodes(kept, simulation);
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
