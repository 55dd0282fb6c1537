#include "core/model/run_figures.h"

#include <algorithm>
#include <numeric>

namespace evenkeel::model {
namespace {

constexpr Duration kFarAway = std::chrono::hours(24 * 365 * 30);

/// The earliest time at which all nodes together can have done `total`, to the nanosecond.
std::optional<double> FluidSeconds(double total,
                                   const std::function<double(Duration)>& units_done) {
  Duration high = std::chrono::microseconds(1);
  while (units_done(high) < total) {
    if (high >= kFarAway) return std::nullopt;
    high *= 2;
  }
  Duration low{};
  while (high - low > Duration{1}) {
    const Duration middle = low + (high - low) / 2;
    (units_done(middle) < total ? low : high) = middle;
  }
  return ToSeconds(high);
}

}  // namespace

std::optional<double> LowerBoundSeconds(const WorkSize& work,
                                        const std::vector<NodeCapacity>& nodes) {
  double sum = 0;
  double fastest_thread = 0;
  for (const NodeCapacity& node : nodes) {
    sum += node.units_per_second;
    const double threads = std::max(node.threads, 1U);
    fastest_thread = std::max(fastest_thread, node.units_per_second / threads);
  }
  if (fastest_thread <= 0) return std::nullopt;
  return std::max(work.total / sum, work.longest / fastest_thread);
}

std::optional<double> LowerBoundSeconds(const WorkSize& work,
                                        const std::function<double(Duration)>& units_done,
                                        double fastest_thread) {
  if (work.total <= 0) return 0;
  if (fastest_thread <= 0) return std::nullopt;
  const auto fluid = FluidSeconds(work.total, units_done);
  if (!fluid) return std::nullopt;
  return std::max(*fluid, work.longest / fastest_thread);
}

double Efficiency(double lower_bound_seconds, double makespan_seconds) {
  return makespan_seconds > 0 ? lower_bound_seconds / makespan_seconds : 0;
}

double MakespanOverBound(double makespan_seconds, double lower_bound_seconds) {
  return lower_bound_seconds > 0 ? makespan_seconds / lower_bound_seconds : 0;
}

double Utilization(double busy_seconds, double threads, double makespan_seconds) {
  const double available = threads * makespan_seconds;
  return available > 0 ? busy_seconds / available : 0;
}

double LoadImbalance(const std::vector<double>& finish_seconds) {
  if (finish_seconds.empty()) return 0;
  const double latest = *std::max_element(finish_seconds.begin(), finish_seconds.end());
  if (latest <= 0) return 0;
  const double sum = std::accumulate(finish_seconds.begin(), finish_seconds.end(), 0.0);
  const double mean = sum / static_cast<double>(finish_seconds.size());
  return std::max(1 - mean / latest, 0.0);  // equal times may differ in the last bit
}

double LoadImbalancePercent(const std::vector<double>& finish_seconds) {
  return LoadImbalance(finish_seconds) * 100;
}

}  // namespace evenkeel::model
