#include "tests/support/example_simulations.h"

#include <algorithm>
#include <numeric>

namespace evenkeel::support {

simulator::SimulationConfig SixteenWorkers(std::uint64_t seed, bool costs_known, bool upside_down) {
  simulator::SimulationConfig simulation;
  simulation.seed = seed;
  Rng rng(seed);
  for (int i = 0; i < 768; ++i) simulation.true_costs.push_back(rng.Uniform(0.1942, 0.939));
  simulation.costs_known = costs_known;
  simulation.job.name = "synthetic";
  simulation.job.workload = "synthetic";
  for (int i = 0; i < 16; ++i) {
    const double speed = i < 4 ? 4.3 : i < 12 ? 2.0 : 1.0;
    simulator::NodeModel node;
    node.name = "node-" + std::to_string(i);
    node.ratio = upside_down ? 4.3 / speed : speed;
    node.speed = simulator::SpeedProfile(speed);
    simulation.nodes.push_back(node);
  }
  return simulation;
}

double FluidBound(const simulator::SimulationConfig& simulation) {
  double speeds = 0;
  for (const auto& node : simulation.nodes) {
    speeds += node.threads * node.speed.Integral(Instant{}, Instant{std::chrono::seconds(1)});
  }
  return std::accumulate(simulation.true_costs.begin(), simulation.true_costs.end(), 0.0) / speeds;
}

double GreedyBest(const simulator::SimulationConfig& simulation) {
  std::vector<double> costs = simulation.true_costs;
  std::sort(costs.rbegin(), costs.rend());
  std::vector<double> speeds;
  for (const auto& node : simulation.nodes) {
    speeds.push_back(node.speed.Integral(Instant{}, Instant{std::chrono::seconds(1)}));
  }
  std::vector<double> ends(speeds.size());
  for (const double cost : costs) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < ends.size(); ++i) {
      if (ends[i] + cost / speeds[i] < ends[best] + cost / speeds[best]) best = i;
    }
    ends[best] += cost / speeds[best];
  }
  return *std::max_element(ends.begin(), ends.end());
}

}  // namespace evenkeel::support
