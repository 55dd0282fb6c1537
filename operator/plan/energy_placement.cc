#include "operator/plan/energy_placement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/scheduling/energy/energy_choice.h"
#include "operator/plan/node_power.h"

namespace evenkeel::plan {
namespace {

/// Workers that are there, or will be again in a moment.
std::vector<scheduling::EnergyCandidate> Held(const Draft& draft) {
  std::vector<scheduling::EnergyCandidate> held;
  for (const api::PodView* pod : draft.Workers()) {
    const api::NodeView* node = draft.Node(pod->target_node);
    if (node == nullptr || pod->Ended() || pod->ratio <= 0) continue;
    held.push_back({pod->ratio, WorkerPower(*node, ThreadsOf(draft.Job(), *node))});
  }
  return held;
}

/// Places of census.free, the heaviest first, as many as there may be workers beside those held.
std::vector<std::size_t> Heaviest(const std::vector<api::PlannedNode>& weights, std::size_t most) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&weights](std::size_t a, std::size_t b) {
    if (weights[a].ratio != weights[b].ratio) return weights[a].ratio > weights[b].ratio;
    return weights[a].name < weights[b].name;
  });
  order.resize(std::min(order.size(), most));
  return order;
}

double RatioOf(const std::vector<api::PlannedNode>& planned) {
  double sum = 0;
  for (const auto& node : planned) sum += node.ratio;
  return sum;
}

}  // namespace

EnergyPlacement LeaveOutForEnergy(const Draft& draft, const std::vector<api::PlannedNode>& planned,
                                  WorkerCensus& census, std::vector<api::PlannedNode>& weights) {
  EnergyPlacement placement;
  const model::BalancingSpec& balancing = draft.Job().spec.balancing;
  const bool nothing_to_choose = weights.empty() || weights.size() != census.free.size();
  if (balancing.objective != model::Objective::kEnergy || nothing_to_choose) return placement;

  auto candidates = Held(draft);
  const std::size_t held = candidates.size();
  const auto workers = static_cast<std::size_t>(std::max(1, draft.Job().spec.max_workers));
  const auto order = Heaviest(weights, workers > held ? workers - held : 0);
  for (const std::size_t i : order) {
    const api::NodeView& node = *census.free[i].node;
    weights[i].power = WorkerPower(node, ThreadsOf(draft.Job(), node));
    candidates.push_back({weights[i].ratio, weights[i].power});
  }
  const auto choice = scheduling::ChooseForEnergy(candidates, balancing.energy, RatioOf(planned));
  std::vector<Place> free = std::exchange(census.free, {});
  std::vector<api::PlannedNode> all = std::exchange(weights, {});
  if (!choice) {
    census.free = std::move(free);
    placement.refusal = scheduling::WhyNoEnergy(candidates.size());
    return placement;
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    api::PlannedNode& node = all[order[k]];
    node.left_out = choice->shares[held + k] <= 0;
    if (node.left_out) {
      placement.left_out.push_back(std::move(node));
    } else {
      census.free.push_back(free[order[k]]);
      weights.push_back(std::move(node));
    }
  }
  return placement;
}

}  // namespace evenkeel::plan
