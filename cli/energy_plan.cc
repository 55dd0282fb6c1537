#include "cli/energy_plan.h"

#include <utility>

#include "core/scheduling/energy/energy_choice.h"

namespace evenkeel::cli {
namespace {

void TellOfUnknown(const std::vector<LocalNode>& nodes, RunPlan& plan) {
  std::string names;
  for (const auto& node : nodes) {
    if (!node.power) names += (names.empty() ? "" : ", ") + node.name;
  }
  if (names.empty()) return;
  plan.notes.push_back(names +
                       ": power is not known; taken to need the mean of the others' joules a unit "
                       "of work");
}

}  // namespace

Result<void> LeaveOutForEnergy(const RunOptions& options, RunPlan& plan) {
  const model::BalancingSpec& balancing = plan.job().balancing;
  if (balancing.objective != model::Objective::kEnergy) return {};
  std::vector<scheduling::EnergyCandidate> candidates;
  for (const auto& node : plan.nodes) candidates.push_back({node.ratio, node.power});
  const auto choice = scheduling::ChooseForEnergy(candidates, balancing.energy);
  if (!choice) {
    return InvalidInput(options.nodes_file + ": spec.balancing.objective: " +
                        scheduling::WhyNoEnergy(plan.nodes.size()));
  }
  TellOfUnknown(plan.nodes, plan);
  const auto nodes = std::exchange(plan.nodes, {});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (choice->shares[i] > 0) {
      plan.nodes.push_back(nodes[i]);
      continue;
    }
    plan.left_out.push_back(nodes[i]);
    plan.notes.push_back(
        nodes[i].name + ": gets no work; " +
        scheduling::WhyLeftOut(choice->joules_per_unit[i], balancing.energy.time_factor));
  }
  return {};
}

}  // namespace evenkeel::cli
