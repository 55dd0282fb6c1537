#include "workloads/parameter_estimation/pareto_front.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

namespace evenkeel::workloads::parameter_estimation {
namespace {

/// The area and power of the points so far, as far as no other one has less of both.
class Staircase {
 public:
  [[nodiscard]] bool Covers(const TaskResult& point) const {
    const auto above = power_by_area_.upper_bound(point.area);
    return above != power_by_area_.begin() && std::prev(above)->second <= point.power_nanowatts;
  }
  /// The point must not be covered.
  void Add(const TaskResult& point) {
    auto next = power_by_area_.lower_bound(point.area);
    while (next != power_by_area_.end() && next->second >= point.power_nanowatts) {
      next = power_by_area_.erase(next);
    }
    power_by_area_[point.area] = point.power_nanowatts;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> power_by_area_;  // power falls as area rises
};

auto FiguresOf(const TaskResult& result) {
  return std::tie(result.cycles, result.area, result.power_nanowatts);
}

}  // namespace

std::vector<std::size_t> ParetoFront(const EstimationResults& results) {
  std::vector<std::size_t> order;
  for (std::size_t task = 0; task < results.size(); ++task) {
    if (results[task]) order.push_back(task);
  }
  std::stable_sort(order.begin(), order.end(), [&results](std::size_t a, std::size_t b) {
    return FiguresOf(*results[a]) < FiguresOf(*results[b]);
  });
  // In this order, whatever beats a point comes before it.
  std::vector<std::size_t> front;
  Staircase stairs;
  for (const std::size_t task : order) {
    const TaskResult& point = *results[task];
    const bool as_the_last =
        !front.empty() && FiguresOf(*results[front.back()]) == FiguresOf(point);
    if (as_the_last || !stairs.Covers(point)) {
      if (!as_the_last) stairs.Add(point);
      front.push_back(task);
    }
  }
  return front;
}

}  // namespace evenkeel::workloads::parameter_estimation
