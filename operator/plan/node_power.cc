#include "operator/plan/node_power.h"

#include "core/scheduling/fuzzy/node_facts.h"

namespace evenkeel::plan {

std::optional<double> NodePower(const api::NodeView& node) {
  const auto known = scheduling::CollectFacts(node.profile);
  const auto power = known.facts.find(scheduling::fact::kPowerWatts);
  if (power == known.facts.end() || !power->second.number || *power->second.number <= 0) {
    return std::nullopt;
  }
  return power->second.number;
}

}  // namespace evenkeel::plan
