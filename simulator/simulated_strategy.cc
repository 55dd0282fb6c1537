#include "simulator/simulated_strategy.h"

namespace evenkeel::simulator {

std::string ToString(const SimulatedStrategy& strategy) {
  return strategy.technique ? scheduling::ToString(*strategy.technique)
                            : model::ToString(strategy.strategy);
}

std::vector<SimulatedStrategy> AllSimulatedStrategies() {
  std::vector<SimulatedStrategy> all;
  for (const auto strategy : model::AllStrategies()) all.push_back({strategy});
  for (const auto technique : scheduling::AllTechniques()) {
    all.push_back({model::StrategyName::kTailStealing, technique});
  }
  return all;
}

}  // namespace evenkeel::simulator
