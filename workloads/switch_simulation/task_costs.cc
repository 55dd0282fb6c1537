#include "workloads/switch_simulation/task_costs.h"

#include <array>

#include "workloads/switch_simulation/task_grid.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

/// Nanoseconds an output and slot at load 0, and what a load of 1 adds to them.
struct OutputCost {
  double idle;
  double loaded;
};

constexpr OutputCost CostOf(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kLqf:
      return {5.0, 17.5};
    case Algorithm::kRr:
      return {4.0, 12.5};
    case Algorithm::kErr:
      return {4.5, 13.0};
    case Algorithm::kFbrr:
      return {5.0, 11.5};
    case Algorithm::kEelqf:
      return {5.5, 17.0};
    case Algorithm::kElqf:
      return {5.5, 17.5};
    case Algorithm::kFblqf:
      return {5.0, 17.5};
    case Algorithm::kRand:
      break;
  }
  return {2.5, 29.0};
}

}  // namespace

model::Cost TaskCost(const SwitchSpec& spec, Algorithm algorithm, double load) {
  const OutputCost each = CostOf(algorithm);
  const double outputs = static_cast<double>(spec.ports) * spec.slots;
  return 1 + static_cast<model::Cost>(outputs * (each.idle + each.loaded * load));
}

std::vector<model::Cost> TaskCosts(const SwitchSpec& spec) {
  std::vector<model::Cost> costs(static_cast<std::size_t>(TaskCountOf(spec)));
  for (std::size_t index = 0; index < costs.size(); ++index) {
    const TaskPlace place = PlaceOf(spec, static_cast<model::TaskIndex>(index));
    costs[index] = TaskCost(spec, spec.algorithms[place.algorithm], spec.loads[place.load]);
  }
  return costs;
}

}  // namespace evenkeel::workloads::switch_simulation
