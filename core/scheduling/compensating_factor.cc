#include "core/scheduling/compensating_factor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evenkeel::scheduling {
namespace {

// Sums of rounded numbers may be so much below a whole task.
constexpr double kRounding = 1e-6;

// k = weight of 1 + (1 - that) * a: how much of it is 1.
double WeightOfAll(CompensationSelection selection, const LoadTransfer& transfer) {
  const double by_target = transfer.link_speed / transfer.target_speed;
  const double by_source = transfer.link_speed / transfer.source_speed;
  switch (selection) {
    case CompensationSelection::kFirst:
      return transfer.link_speed / (transfer.source_speed + transfer.link_speed);
    case CompensationSelection::kSecond: {
      const double squares = by_target * by_target + by_source * by_source;
      return (by_target + squares) / (2 + 2 * by_target + squares);
    }
    case CompensationSelection::kThird:
      break;
  }
  return (2 * by_target * by_target + by_target) / (2 + 2 * by_target + 2 * by_target * by_target);
}

}  // namespace

std::vector<double> ExcessLoads(const std::vector<double>& loads,
                                const std::vector<double>& speeds) {
  const double load = std::accumulate(loads.begin(), loads.end(), 0.0);
  const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<double> excess;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    excess.push_back(loads[i] - speeds[i] / speed * load);
  }
  return excess;
}

std::vector<double> LoadsToSend(const std::vector<double>& excess, std::size_t from) {
  const double room =
      std::accumulate(excess.begin(), excess.end(), 0.0,
                      [](double sum, double each) { return sum + std::min(each, 0.0); });
  std::vector<double> sent(excess.size());
  if (excess[from] <= 0 || room >= 0) return sent;
  for (std::size_t i = 0; i < excess.size(); ++i) {
    if (excess[i] < 0) sent[i] = std::floor(excess[i] / room * excess[from] + kRounding);
  }
  return sent;
}

double CompensatingFactor(CompensationSelection selection, const LoadTransfer& transfer) {
  const double takes = transfer.load / transfer.link_speed;
  if (takes <= transfer.dry_after) return 1;
  const double all = WeightOfAll(selection, transfer);
  return all + (1 - all) * transfer.dry_after / takes;
}

}  // namespace evenkeel::scheduling
