#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/job_spec.h"
#include "core/scheduling/techniques/technique.h"

namespace evenkeel::simulator {

/// A strategy of the product, or a published technique in its place.
struct SimulatedStrategy {
  model::StrategyName strategy = model::StrategyName::kTailStealing;
  std::optional<scheduling::TechniqueName> technique{};
};

[[nodiscard]] std::string ToString(const SimulatedStrategy& strategy);
/// The strategies of the product, then the techniques.
[[nodiscard]] std::vector<SimulatedStrategy> AllSimulatedStrategies();

}  // namespace evenkeel::simulator
