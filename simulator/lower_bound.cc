#include <algorithm>
#include <numeric>

#include "simulator/scenario_world.h"

namespace evenkeel::simulator {
namespace {

/// What the nodes can do over time, with nothing while they are away.
std::vector<SpeedProfile> Capacities(const SimulationConfig& world) {
  std::vector<SpeedProfile> capacities;
  for (const NodeModel& node : world.nodes) {
    capacities.push_back(node.speed);
    capacities.back().StandStill(Instant{}, Instant{node.joins_at});
  }
  for (const Fault& fault : world.faults) {
    const bool works_on =
        fault.kind == Fault::Kind::kKillCoordinator || fault.kind == Fault::Kind::kCutLink;
    if (works_on) continue;
    const bool for_ever = fault.lasts >= kNever - Instant{fault.at};
    capacities[fault.node].StandStill(Instant{fault.at},
                                      for_ever ? kNever : Instant{fault.at} + fault.lasts);
  }
  return capacities;
}

double FluidBound(const SimulationConfig& world, double work) {
  const auto capacities = Capacities(world);
  const auto possible = [&](Duration end) {
    double done = 0;
    for (std::size_t i = 0; i < capacities.size(); ++i) {
      done += world.nodes[i].threads * capacities[i].Integral(Instant{}, Instant{end});
    }
    return done;
  };
  Duration high = std::chrono::microseconds(1);
  constexpr Duration kFarAway = std::chrono::hours(24 * 365 * 30);
  while (possible(high) < work && high < kFarAway) high *= 2;
  Duration low{};
  while (high - low > Duration{1}) {
    const Duration middle = low + (high - low) / 2;
    (possible(middle) < work ? low : high) = middle;
  }
  return ToSeconds(high);
}

}  // namespace

double LowerBound(const SimulationConfig& world) {
  const auto& costs = world.true_costs;
  if (costs.empty()) return 0;
  double fastest = 0;
  for (const NodeModel& node : world.nodes) fastest = std::max(fastest, node.speed.Fastest());
  const double longest = *std::max_element(costs.begin(), costs.end());
  const double work = std::accumulate(costs.begin(), costs.end(), 0.0);
  return std::max(FluidBound(world, work), longest / fastest);
}

}  // namespace evenkeel::simulator
