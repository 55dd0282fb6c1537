#include "workloads/parameter_estimation/data_flow_graph.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <queue>

namespace evenkeel::workloads::parameter_estimation {

std::vector<std::size_t> TopologicalOrder(const DataFlowGraph& graph) {
  std::vector<std::size_t> missing(graph.size());
  std::vector<std::vector<std::size_t>> before(graph.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t place = 0; place < graph.size(); ++place) {
    missing[place] = graph[place].after.size();
    for (const std::size_t earlier : graph[place].after) before[earlier].push_back(place);
    if (missing[place] == 0) ready.push(place);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t place = ready.top();
    ready.pop();
    order.push_back(place);
    for (const std::size_t later : before[place]) {
      if (--missing[later] == 0) ready.push(later);
    }
  }
  return order;
}

std::vector<std::size_t> FindCycle(const DataFlowGraph& graph) {
  std::vector<bool> ordered(graph.size());
  for (const std::size_t place : TopologicalOrder(graph)) ordered[place] = true;
  const auto first = std::find(ordered.begin(), ordered.end(), false);
  if (first == ordered.end()) return {};
  // An operation without a place in the order depends on another such operation, so following these
  // dependencies reaches a cycle.
  std::vector<std::size_t> path{static_cast<std::size_t>(first - ordered.begin())};
  for (;;) {
    const auto& after = graph[path.back()].after;
    const std::size_t next =
        *std::find_if(after.begin(), after.end(), [&](std::size_t p) { return !ordered[p]; });
    const auto seen = std::find(path.begin(), path.end(), next);
    if (seen != path.end()) return {seen, path.end()};
    path.push_back(next);
  }
}

namespace {

/// Builds a graph whose operations are named by their kind and number.
class GraphBuilder {
 public:
  std::size_t Multiply(std::initializer_list<std::size_t> after) { return Put("multiply", after); }
  std::size_t Add(std::initializer_list<std::size_t> after) { return Put("add", after); }
  std::size_t Subtract(std::initializer_list<std::size_t> after) { return Put("subtract", after); }
  std::size_t Compare(std::initializer_list<std::size_t> after) { return Put("compare", after); }
  DataFlowGraph Done() && { return std::move(graph_); }

 private:
  std::size_t Put(const char* kind, std::initializer_list<std::size_t> after) {
    graph_.push_back({kind + std::to_string(graph_.size() + 1), kind, after});
    return graph_.size() - 1;
  }
  DataFlowGraph graph_;
};

/// One step of Euler's method for y'' + 3xy' + 3y = 0, as in Paulin and Knight, "Force-directed
/// scheduling for the behavioral synthesis of ASICs" (1989):
/// x1 = x + dx; u1 = u - 3x u dx - 3y dx; y1 = y + u dx; repeated while x1 < a.
DataFlowGraph Diffeq() {
  GraphBuilder graph;
  const auto three_x = graph.Multiply({});
  const auto u_dx = graph.Multiply({});
  const auto three_y = graph.Multiply({});
  const auto u_dx_again = graph.Multiply({});
  const auto x1 = graph.Add({});
  const auto three_x_u_dx = graph.Multiply({three_x, u_dx});
  const auto three_y_dx = graph.Multiply({three_y});
  graph.Add({u_dx_again});
  graph.Compare({x1});
  const auto difference = graph.Subtract({three_x_u_dx});
  graph.Subtract({difference, three_y_dx});
  return std::move(graph).Done();
}

/// The wave digital elliptic filter of fifth order: 26 additions, 8 multiplications. As in Michel,
/// Lauther and Duzy, "The Synthesis Approach to Digital System Design" (1992).
DataFlowGraph EllipticWaveFilter() {
  GraphBuilder graph;
  const auto a1 = graph.Add({});
  const auto a2 = graph.Add({});
  const auto a3 = graph.Add({a1});
  const auto a4 = graph.Add({a3});
  const auto a5 = graph.Add({a2, a4});
  const auto m6 = graph.Multiply({a5});
  const auto m7 = graph.Multiply({a5});
  const auto a8 = graph.Add({a3, m6});
  const auto a9 = graph.Add({a2, m7});
  const auto a10 = graph.Add({a3, a8});
  const auto a11 = graph.Add({a5, a8});
  const auto a12 = graph.Add({a2, a9});
  const auto m13 = graph.Multiply({a10});
  graph.Add({a9, a11});
  const auto m15 = graph.Multiply({a12});
  const auto a16 = graph.Add({a1, m13});
  const auto a17 = graph.Add({m15});
  const auto a18 = graph.Add({a1, a16});
  const auto a19 = graph.Add({a16});
  const auto a20 = graph.Add({a9, a17});
  const auto a21 = graph.Add({a17});
  const auto m22 = graph.Multiply({a18});
  const auto a23 = graph.Add({a19});
  const auto a24 = graph.Add({a20});
  const auto m25 = graph.Multiply({a21});
  const auto m26 = graph.Multiply({a23});
  const auto m27 = graph.Multiply({a24});
  const auto a28 = graph.Add({m22});
  graph.Add({a17, m25});
  graph.Add({a16, a28});
  const auto a31 = graph.Add({m26});
  const auto a32 = graph.Add({m27});
  graph.Add({a23, a31});
  graph.Add({a24, a32});
  return std::move(graph).Done();
}

/// A symmetric FIR filter of 16 points: 8 sums of samples with the same coefficient, 8 products, 7
/// additions one after the other. As in Park and Parker, "Sehwa" (1988).
DataFlowGraph Fir16() {
  GraphBuilder graph;
  std::size_t sum = graph.Multiply({graph.Add({})});
  for (int pair = 1; pair < 8; ++pair) {
    const std::size_t product = graph.Multiply({graph.Add({})});
    sum = graph.Add({sum, product});
  }
  return std::move(graph).Done();
}

/// The auto-regressive lattice filter: 16 multiplications, 12 additions. As in Jain, Parker and
/// Park, "Predicting system-level area and delay for pipelined and nonpipelined designs" (1992).
DataFlowGraph ArLattice() {
  GraphBuilder graph;
  std::array<std::size_t, 8> inputs{};
  for (auto& product : inputs) product = graph.Multiply({});
  const auto a9 = graph.Add({inputs[0], inputs[1]});
  const auto a10 = graph.Add({inputs[2], inputs[3]});
  const auto a13 = graph.Add({graph.Add({inputs[4], inputs[5]})});
  const auto a14 = graph.Add({graph.Add({inputs[6], inputs[7]})});
  const auto m15 = graph.Multiply({a14});
  const auto m16 = graph.Multiply({a13});
  const auto m17 = graph.Multiply({a13});
  const auto m18 = graph.Multiply({a14});
  const auto a19 = graph.Add({m15, m16});
  const auto a20 = graph.Add({m17, m18});
  const auto m21 = graph.Multiply({a20});
  const auto m22 = graph.Multiply({a19});
  const auto m23 = graph.Multiply({a19});
  const auto m24 = graph.Multiply({a20});
  const auto a25 = graph.Add({m21, m22});
  const auto a26 = graph.Add({m23, m24});
  graph.Add({a9, a25});
  graph.Add({a10, a26});
  return std::move(graph).Done();
}

struct Example {
  std::string_view name;
  DataFlowGraph (*graph)();
};
constexpr std::array kExamples{Example{"Diffeq", &Diffeq},
                               Example{"EllipticWaveFilter", &EllipticWaveFilter},
                               Example{"Fir16", &Fir16}, Example{"ArLattice", &ArLattice}};

}  // namespace

std::vector<std::string> ExampleNames() {
  std::vector<std::string> names;
  for (const Example& example : kExamples) names.emplace_back(example.name);
  return names;
}

std::optional<DataFlowGraph> ExampleGraph(std::string_view name) {
  for (const Example& example : kExamples) {
    if (example.name == name) return example.graph();
  }
  return std::nullopt;
}

}  // namespace evenkeel::workloads::parameter_estimation
