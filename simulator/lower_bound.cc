#include <algorithm>
#include <numeric>

#include "core/model/run_figures.h"
#include "simulator/scenario_drawing.h"

namespace evenkeel::simulator {

std::vector<SpeedProfile> Capacities(const SimulationConfig& simulation) {
  std::vector<SpeedProfile> capacities;
  for (const NodeModel& node : simulation.nodes) {
    capacities.push_back(node.speed);
    capacities.back().StandStill(Instant{}, Instant{node.joins_at});
  }
  for (const Fault& fault : simulation.faults) {
    const bool works_on =
        fault.kind == Fault::Kind::kKillCoordinator || fault.kind == Fault::Kind::kCutLink;
    if (works_on) continue;
    const bool for_ever = fault.lasts >= kNever - Instant{fault.at};
    capacities[fault.node].StandStill(Instant{fault.at},
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
  for (const NodeModel& node : simulation.nodes) fastest = std::max(fastest, node.speed.Fastest());
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

}  // namespace evenkeel::simulator
