#include "workloads/parameter_estimation/list_schedule.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace evenkeel::workloads::parameter_estimation {
namespace {

constexpr std::uint32_t kNotStarted = std::numeric_limits<std::uint32_t>::max();

class ListScheduler {
 public:
  ListScheduler(const SchedulingProblem& problem, const UnitCounts& counts)
      : problem_(problem),
        starts_(problem.nodes.size(), kNotStarted),
        order_(problem.nodes.size()) {
    for (const std::uint32_t count : counts) free_at_.emplace_back(count, 0);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return problem.nodes[a].tail > problem.nodes[b].tail;
    });
  }

  Schedule Run() {
    for (std::uint32_t cycle = 0; cycle != kNotStarted; cycle = NextStart()) {
      for (const std::size_t node : order_) {
        if (starts_[node] == kNotStarted && EarliestStart(node) <= cycle) Start(node, cycle);
      }
    }
    return starts_;
  }

 private:
  std::uint32_t& FreeUnit(std::size_t node) {
    auto& free_at = free_at_[problem_.nodes[node].unit];
    return *std::min_element(free_at.begin(), free_at.end());
  }

  void Start(std::size_t node, std::uint32_t cycle) {
    starts_[node] = cycle;
    FreeUnit(node) = cycle + problem_.units[problem_.nodes[node].unit].occupancy;
  }

  /// Given the operations started so far; kNotStarted if an operand has not started.
  std::uint32_t EarliestStart(std::size_t node) {
    std::uint32_t earliest = FreeUnit(node);
    for (const std::size_t operand : problem_.nodes[node].after) {
      if (starts_[operand] == kNotStarted) return kNotStarted;
      const std::uint32_t latency = problem_.units[problem_.nodes[operand].unit].latency;
      earliest = std::max(earliest, starts_[operand] + latency);
    }
    return earliest;
  }

  /// The next cycle in which an operation can start; kNotStarted if all have started.
  std::uint32_t NextStart() {
    std::uint32_t next = kNotStarted;
    for (const std::size_t node : order_) {
      if (starts_[node] == kNotStarted) next = std::min(next, EarliestStart(node));
    }
    return next;
  }

  const SchedulingProblem& problem_;
  Schedule starts_;
  std::vector<std::size_t> order_;  // by priority
  std::vector<std::vector<std::uint32_t>> free_at_;
};

}  // namespace

Schedule ListSchedule(const SchedulingProblem& problem, const UnitCounts& counts) {
  return ListScheduler(problem, counts).Run();
}

}  // namespace evenkeel::workloads::parameter_estimation
