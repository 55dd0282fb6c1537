#include "workloads/parameter_estimation/scheduling_problem.h"

#include <algorithm>
#include <limits>

namespace evenkeel::workloads::parameter_estimation {
namespace {

using Node = SchedulingProblem::Node;

std::size_t TypeOf(const std::vector<UnitType>& units, const std::string& kind) {
  const auto does = [&kind](const UnitType& unit) {
    return std::find(unit.kinds.begin(), unit.kinds.end(), kind) != unit.kinds.end();
  };
  return static_cast<std::size_t>(std::find_if(units.begin(), units.end(), does) - units.begin());
}

void SetHeadsAndTails(SchedulingProblem& problem) {
  auto& nodes = problem.nodes;
  for (Node& node : nodes) {
    for (const std::size_t earlier : node.after) {
      const std::uint32_t ready = nodes[earlier].head + problem.units[nodes[earlier].unit].latency;
      node.head = std::max(node.head, ready);
    }
  }
  for (std::size_t n = nodes.size(); n-- > 0;) {
    std::uint32_t longest = 0;
    for (const std::size_t later : nodes[n].before) longest = std::max(longest, nodes[later].tail);
    nodes[n].tail = longest + problem.units[nodes[n].unit].latency;
  }
}

}  // namespace

SchedulingProblem ProblemOf(const EstimationSpec& spec) {
  SchedulingProblem problem;
  for (const UnitType& unit : spec.units) {
    problem.units.push_back({unit.cycles, unit.pipelined ? 1 : unit.cycles});
  }
  const std::vector<std::size_t> order = TopologicalOrder(spec.graph);
  std::vector<std::size_t> node_of(spec.graph.size());
  for (std::size_t n = 0; n < order.size(); ++n) node_of[order[n]] = n;
  problem.nodes.resize(order.size());
  for (std::size_t n = 0; n < order.size(); ++n) {
    const Operation& operation = spec.graph[order[n]];
    problem.nodes[n].unit = TypeOf(spec.units, operation.kind);
    for (const std::size_t place : operation.after) {
      problem.nodes[n].after.push_back(node_of[place]);
      problem.nodes[node_of[place]].before.push_back(n);
    }
  }
  SetHeadsAndTails(problem);
  return problem;
}

std::uint32_t LengthOf(const SchedulingProblem& problem, const Schedule& schedule) {
  std::uint32_t length = 0;
  for (std::size_t n = 0; n < schedule.size(); ++n) {
    length = std::max(length, schedule[n] + problem.units[problem.nodes[n].unit].latency);
  }
  return length;
}

std::uint32_t LowerBound(const SchedulingProblem& problem, const UnitCounts& counts) {
  struct Demand {
    std::uint32_t operations = 0;
    std::uint32_t head = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t tail = std::numeric_limits<std::uint32_t>::max();
  };
  std::uint32_t bound = 0;
  std::vector<Demand> demands(problem.units.size());
  for (const Node& node : problem.nodes) {
    bound = std::max(bound, node.head + node.tail);
    Demand& demand = demands[node.unit];
    ++demand.operations;
    demand.head = std::min(demand.head, node.head);
    demand.tail = std::min(demand.tail, node.tail);
  }
  for (std::size_t unit = 0; unit < demands.size(); ++unit) {
    const Demand& demand = demands[unit];
    if (demand.operations == 0) continue;
    const std::uint32_t rounds = (demand.operations - 1) / counts[unit];
    bound = std::max(bound, demand.head + rounds * problem.units[unit].occupancy + demand.tail);
  }
  return bound;
}

}  // namespace evenkeel::workloads::parameter_estimation
