#include "core/engine/coordinator_config.h"

#include <algorithm>

namespace evenkeel::engine {
namespace {

// Relative standard deviations of the time of a task per unit of cost, before tasks show more.
// Declared costs are hints, of unknown error.
constexpr double kSigmaOfDeclaredCosts = 0.3;
constexpr double kSigmaOfUnknownCosts = 0.5;

}  // namespace

scheduling::TimingEstimator::Options EstimatorOptions(const CoordinatorConfig& config,
                                                      const model::CostModel& costs) {
  scheduling::TimingEstimator::Options options;
  options.round_trip = config.round_trip;
  options.runs_ranges = config.ranges.has_value();
  options.task_relative_sigma = costs.Known() ? kSigmaOfDeclaredCosts : kSigmaOfUnknownCosts;
  options.costs = &costs;
  return options;
}

double LeftOutRatio(const std::vector<ExpectedNode>& nodes) {
  double sum = 0;
  for (const auto& node : nodes) sum += node.left_out ? node.ratio : 0.0;
  return sum;
}

std::optional<double> UnitRate(const std::vector<ExpectedNode>& nodes) {
  std::vector<double> worth;
  for (const ExpectedNode& node : nodes) {
    if (node.rate && node.ratio > 0) worth.push_back(*node.rate / node.ratio);
  }
  if (worth.empty()) return std::nullopt;
  const auto middle = worth.begin() + static_cast<std::ptrdiff_t>(worth.size() / 2);
  std::nth_element(worth.begin(), middle, worth.end());
  return *middle;
}

}  // namespace evenkeel::engine
