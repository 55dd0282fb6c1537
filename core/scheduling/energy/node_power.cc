#include "core/scheduling/energy/node_power.h"

#include <algorithm>
#include <cstdio>

#include "core/scheduling/fuzzy/node_facts.h"

namespace evenkeel::scheduling {

PowerFacts CollectPower(const model::NodeProfile& node) {
  PowerFacts facts;
  const auto known = CollectFacts(node).facts;
  const auto full = known.find(fact::kPowerWatts);
  if (full == known.end() || !full->second.number) return facts;
  const double watts = *full->second.number;
  const auto idle = known.find(fact::kIdlePowerWatts);
  if (idle != known.end() && idle->second.number && *idle->second.number <= watts) {
    facts.power = {watts, *idle->second.number};
    return facts;
  }
  facts.power = {watts, watts * kUsualIdleShare};
  char text[96];
  std::snprintf(text, sizeof text, "idle-power-watts: %s, took %g of power-watts",
                idle == known.end()   ? "not known"
                : idle->second.number ? "is above power-watts"
                                      : "cannot be read",
                kUsualIdleShare);
  facts.notes.emplace_back(text);
  return facts;
}

model::NodePower OfThreads(const model::NodePower& node, double threads, double cores) {
  const double part = std::min(1.0, threads / cores);
  return {node.idle_watts + (node.full_watts - node.idle_watts) * part, node.idle_watts};
}

}  // namespace evenkeel::scheduling
