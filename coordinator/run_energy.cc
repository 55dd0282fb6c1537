#include "coordinator/run_energy.h"

#include <algorithm>

#include "core/scheduling/energy/accounting.h"

namespace evenkeel::coordinator {
namespace {

void FillNodes(const engine::Progress& progress, model::RunSummary& summary) {
  const std::size_t known = std::min(progress.nodes.size(), summary.nodes.size());
  for (std::size_t i = 0; i < known; ++i) {
    const auto& node = progress.nodes[i];
    model::NodeSummary& row = summary.nodes[i];
    row.power = node.power;
    if (!node.power) continue;
    if (node.threads > 0) {
      row.joules = model::JoulesOf(*node.power, row.busy_seconds, node.threads,  //
                                   ToSeconds(row.last_end));
    } else if (row.busy_seconds <= 0) {
      row.joules = model::NodeJoules{};  // its worker never came
    }
  }
}

}  // namespace

void FillEnergy(const OutcomeContext& context, const engine::Progress& progress,
                model::RunSummary& summary) {
  FillNodes(progress, summary);
  const model::BalancingSpec& balancing = context.version->spec().balancing;
  model::EnergySummary energy;
  bool any = false;
  for (const auto& node : summary.nodes) {
    if (node.joules) {
      any = true;
      energy.dynamic_joules += node.joules->dynamic;
      energy.idle_joules += node.joules->idle;
      energy.joules += scheduling::Counted(*node.joules, balancing.energy.idle_power);
    } else if (node.busy_seconds > 0) {
      energy.partial = true;
    }
  }
  if (!any) return;
  energy.standing_joules = balancing.energy.standing_watts * summary.makespan_seconds;
  energy.joules += energy.standing_joules;
  energy.idle_counted = balancing.energy.idle_power == model::IdlePower::kCounted;
  if (balancing.objective == model::Objective::kEnergy) {
    energy.time_factor = balancing.energy.time_factor;
  }
  for (const auto& node : context.left_out) energy.left_out.push_back(node.name);
  summary.energy = std::move(energy);
}

}  // namespace evenkeel::coordinator
