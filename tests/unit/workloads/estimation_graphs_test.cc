#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "workloads/parameter_estimation/data_flow_graph.h"
#include "workloads/parameter_estimation/parameter_estimation.h"

namespace evenkeel::workloads::parameter_estimation {
namespace {

std::map<std::string, int> KindsOf(const DataFlowGraph& graph) {
  std::map<std::string, int> kinds;
  for (const Operation& operation : graph) ++kinds[operation.kind];
  return kinds;
}

/// Operations on the longest path.
std::size_t DepthOf(const DataFlowGraph& graph) {
  std::vector<std::size_t> depth(graph.size(), 1);
  for (const std::size_t place : TopologicalOrder(graph)) {
    for (const std::size_t earlier : graph[place].after) {
      depth[place] = std::max(depth[place], depth[earlier] + 1);
    }
  }
  return *std::max_element(depth.begin(), depth.end());
}

TEST(EstimationGraphs, TheExamplesHaveTheirPublishedOperations) {
  using Kinds = std::map<std::string, int>;
  const std::map<std::string, std::pair<Kinds, std::size_t>> want{
      {"Diffeq", {{{"add", 2}, {"compare", 1}, {"multiply", 6}, {"subtract", 2}}, 4}},
      {"EllipticWaveFilter", {{{"add", 26}, {"multiply", 8}}, 14}},
      {"Fir16", {{{"add", 15}, {"multiply", 8}}, 9}},
      {"ArLattice", {{{"add", 12}, {"multiply", 16}}, 8}}};
  EXPECT_EQ(ExampleNames().size(), want.size());
  for (const std::string& name : ExampleNames()) {
    const DataFlowGraph graph = ExampleGraph(name).value();
    EXPECT_EQ(KindsOf(graph), want.at(name).first) << name;
    EXPECT_EQ(DepthOf(graph), want.at(name).second) << name;
    EXPECT_LE(graph.size(), kMaxExactOperations) << name;
    std::set<std::string> names;
    for (const Operation& operation : graph) names.insert(operation.name);
    EXPECT_EQ(names.size(), graph.size()) << name;
  }
  EXPECT_FALSE(ExampleGraph("Fir"));
}

TEST(EstimationGraphs, TopologicalOrderKeepsTheOrderWhereItCan) {
  const DataFlowGraph graph{{"a", "x", {2}}, {"b", "x", {}}, {"c", "x", {}}, {"d", "x", {0, 1}}};
  EXPECT_EQ(TopologicalOrder(graph), (std::vector<std::size_t>{1, 2, 0, 3}));
  EXPECT_TRUE(FindCycle(graph).empty());
}

TEST(EstimationGraphs, ACycleIsFoundAmongAndBehindOtherOperations) {
  const DataFlowGraph graph{{"before", "x", {}},
                            {"behind", "x", {3}},
                            {"p", "x", {0, 4}},
                            {"q", "x", {2}},
                            {"r", "x", {3}}};
  auto cycle = FindCycle(graph);
  std::sort(cycle.begin(), cycle.end());
  EXPECT_EQ(cycle, (std::vector<std::size_t>{2, 3, 4}));
  EXPECT_EQ(FindCycle({{"self", "x", {0}}}), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace evenkeel::workloads::parameter_estimation
