#include "operator/plan/weighting.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/scheduling/fuzzy/weight_estimation.h"

namespace evenkeel::plan {
namespace {

constexpr double kMaxRatio = 1e6;

std::int64_t RoundedUp(double ratio) {
  constexpr double kSlack = 1e-9;  // 5 that has become 5.0000000001 stays 5
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(ratio - kSlack)));
}

api::PlannedNode Planned(const std::string& node, double ratio) {
  // Nodes are told ratios to six decimals; nothing is to depend on more of them.
  const double bounded = std::clamp(std::round(ratio * 1e6) / 1e6, 1e-6, kMaxRatio);
  return {node, bounded, RoundedUp(bounded)};
}

std::map<std::string, api::PlannedNode> ByName(const std::vector<api::PlannedNode>& nodes) {
  std::map<std::string, api::PlannedNode> by_name;
  for (const api::PlannedNode& node : nodes) by_name.emplace(node.name, node);
  return by_name;
}

/// What new estimates are multiplied with to fit to the ratios of the plan.
double Scale(const std::vector<scheduling::NodeWeight>& estimates, model::Rounding rounding,
             const std::map<std::string, api::PlannedNode>& planned) {
  double sum_of_logarithms = 0;
  int common = 0;
  for (const auto& estimate : estimates) {
    const auto known = planned.find(estimate.name);
    if (known == planned.end() || known->second.ratio <= 0) continue;
    sum_of_logarithms +=
        std::log(known->second.ratio / scheduling::PartitionWeight(estimate, rounding));
    ++common;
  }
  return common == 0 ? 1.0 : std::exp(sum_of_logarithms / common);
}

std::vector<api::PlannedNode> Estimated(const Snapshot& snapshot,
                                        const std::vector<const api::NodeView*>& nodes,
                                        const std::map<std::string, api::PlannedNode>& planned,
                                        const model::WeightingPolicy& policy) {
  std::vector<model::NodeProfile> profiles;
  std::set<std::string> names;
  for (const api::NodeView* node : nodes) {
    profiles.push_back(node->profile);
    names.insert(node->Name());
  }
  for (const auto& [name, entry] : planned) {
    const auto node = snapshot.nodes->find(name);
    const bool more = node != snapshot.nodes->end() && names.insert(name).second;
    if (more) profiles.push_back(node->second->profile);
  }
  const auto estimates = scheduling::EstimateWeights(profiles, policy);
  const double scale = Scale(estimates, policy.rounding, planned);
  std::vector<api::PlannedNode> weighed;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double ratio = scheduling::PartitionWeight(estimates[i], policy.rounding);
    weighed.push_back(Planned(nodes[i]->Name(), ratio * scale));
  }
  return weighed;
}

}  // namespace

std::vector<api::PlannedNode> WeighNodes(const Snapshot& snapshot,
                                         const std::vector<const api::NodeView*>& nodes,
                                         const std::vector<api::PlannedNode>& planned,
                                         const std::optional<model::WeightingPolicy>& policy) {
  const model::WeightingSpec& weighting = snapshot.job.spec.weighting;
  const auto known = ByName(planned);
  std::vector<api::PlannedNode> weighed;
  if (policy) {
    weighed = Estimated(snapshot, nodes, known, *policy);
  } else {
    for (const api::NodeView* node : nodes) {
      const auto given = weighting.explicit_weights.find(node->Name());
      const double ratio = given == weighting.explicit_weights.end() ? 1.0 : given->second;
      weighed.push_back(Planned(node->Name(), ratio));
    }
  }
  for (api::PlannedNode& node : weighed) {
    if (const auto before = known.find(node.name); before != known.end()) node = before->second;
  }
  return weighed;
}

std::string WeightSource(const model::WeightingSpec& weighting) {
  if (weighting.mode == model::WeightingMode::kExplicit) return "Explicit";
  return weighting.mode == model::WeightingMode::kEqual ? "Equal" : "Fuzzy";
}

}  // namespace evenkeel::plan
