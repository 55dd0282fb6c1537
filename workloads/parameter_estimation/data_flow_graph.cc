#include "workloads/parameter_estimation/data_flow_graph.h"

#include <algorithm>
#include <functional>
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
  // Whatever is not ordered waits for something that is not ordered either: following that leads
  // round a cycle sooner or later.
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

}  // namespace evenkeel::workloads::parameter_estimation
