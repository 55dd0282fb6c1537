#include "simulator/scenario_energy.h"

#include <algorithm>
#include <vector>

#include "core/scheduling/energy/accounting.h"
#include "core/scheduling/energy/energy_choice.h"
#include "simulator/scenario_drawing.h"

namespace evenkeel::simulator {
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
  KeepOnly(kept, simulation);
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

}  // namespace evenkeel::simulator
