#include "tests/unit/workloads/estimation_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace evenkeel::workloads::parameter_estimation {
namespace {

/// Units of each type that are busy in each cycle.
class Occupation {
 public:
  Occupation(const SchedulingProblem& problem, const UnitCounts& counts, std::uint32_t cycles)
      : problem_(problem),
        counts_(counts),
        busy_(counts.size(), std::vector<std::uint32_t>(cycles)) {}

  [[nodiscard]] bool Fits(std::size_t unit, std::uint32_t start) const {
    for (std::uint32_t cycle = start; cycle < start + problem_.units[unit].occupancy; ++cycle) {
      if (cycle >= busy_[unit].size() || busy_[unit][cycle] >= counts_[unit]) return false;
    }
    return true;
  }
  void Occupy(std::size_t unit, std::uint32_t start, std::uint32_t change) {
    for (std::uint32_t cycle = start; cycle < start + problem_.units[unit].occupancy; ++cycle) {
      busy_[unit][cycle] += change;
    }
  }

 private:
  const SchedulingProblem& problem_;
  const UnitCounts& counts_;
  std::vector<std::vector<std::uint32_t>> busy_;
};

std::uint32_t OperandsReady(const SchedulingProblem& problem, const Schedule& starts,
                            std::size_t node) {
  std::uint32_t ready = 0;
  for (const std::size_t operand : problem.nodes[node].after) {
    ready = std::max(ready, starts[operand] + problem.units[problem.nodes[operand].unit].latency);
  }
  return ready;
}

bool AllFit(const SchedulingProblem& problem, std::uint32_t deadline, Schedule& starts,
            Occupation& occupation) {
  const std::size_t node = starts.size();
  if (node == problem.nodes.size()) return true;
  const std::size_t unit = problem.nodes[node].unit;
  for (std::uint32_t start = OperandsReady(problem, starts, node);
       start + problem.units[unit].latency <= deadline; ++start) {
    if (!occupation.Fits(unit, start)) continue;
    occupation.Occupy(unit, start, 1);
    starts.push_back(start);
    if (AllFit(problem, deadline, starts, occupation)) return true;
    starts.pop_back();
    occupation.Occupy(unit, start, static_cast<std::uint32_t>(-1));
  }
  return false;
}

}  // namespace

EstimationSpec SpecOf(const std::string& parameters) {
  const auto json = nlohmann::json::parse(parameters);
  auto spec = ReadEstimationSpec(model::FieldReader(json, "parameters"));
  EXPECT_TRUE(spec) << spec.error().message;
  return spec.value_or(EstimationSpec{});
}

EstimationSpec FilterSpec(const std::string& graph, std::uint32_t multiply_cycles, bool pipelined) {
  return SpecOf(R"({"graph": ")" + graph +
                R"(", "units": [{"name": "adder", "kinds": ["add", "subtract", "compare"],
                "max": 8}, {"name": "multiplier", "kinds": ["multiply"], "max": 8, "cycles": )" +
                std::to_string(multiply_cycles) + R"(, "pipelined": )" +
                (pipelined ? "true" : "false") + "}]}");
}

void ExpectValid(const SchedulingProblem& problem, const UnitCounts& counts,
                 const Schedule& schedule) {
  ASSERT_EQ(schedule.size(), problem.nodes.size());
  Occupation occupation(problem, counts, LengthOf(problem, schedule));
  for (std::size_t node = 0; node < schedule.size(); ++node) {
    EXPECT_GE(schedule[node], OperandsReady(problem, schedule, node)) << "operation " << node;
    const std::size_t unit = problem.nodes[node].unit;
    ASSERT_TRUE(occupation.Fits(unit, schedule[node])) << "operation " << node;
    occupation.Occupy(unit, schedule[node], 1);
  }
}

std::uint32_t ShortestByTryingAll(const SchedulingProblem& problem, const UnitCounts& counts) {
  for (std::uint32_t deadline = 1;; ++deadline) {
    Schedule starts;
    Occupation occupation(problem, counts, deadline);
    if (AllFit(problem, deadline, starts, occupation)) return deadline;
  }
}

}  // namespace evenkeel::workloads::parameter_estimation
