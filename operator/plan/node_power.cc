#include "operator/plan/node_power.h"

#include "core/scheduling/energy/energy_choice.h"

namespace evenkeel::plan {

std::optional<model::NodePower> NodePower(const api::NodeView& node) {
  return scheduling::CollectPower(node.profile).power;
}

std::optional<model::NodePower> WorkerPower(const api::NodeView& node, std::int64_t threads) {
  constexpr double kCore = 1000;
  const auto power = NodePower(node);
  const auto millicores = node.profile.cpu_millicores.value_or(0);
  if (!power || threads <= 0 || millicores <= 0) return power;
  return scheduling::OfThreads(*power, static_cast<double>(threads),
                               static_cast<double>(millicores) / kCore);
}

}  // namespace evenkeel::plan
