#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::workloads::parameter_estimation {

/// One operation of a computation.
struct Operation {
  std::string name;
  std::string kind;                ///< e.g. "add", "multiply"; the job's units define the kinds
  std::vector<std::size_t> after;  ///< indexes of the operations whose results it needs
};

/// The operations of a computation and how data flows between them; inputs and constants are not
/// part of it.
using DataFlowGraph = std::vector<Operation>;

/// The indexes of all operations in topological order, ties in the order of the graph. If the graph
/// has cycles, the operations on them and those that depend on them are missing.
[[nodiscard]] std::vector<std::size_t> TopologicalOrder(const DataFlowGraph& graph);

/// The indexes of the operations on one cycle, each of which depends on the next one in the list
/// (the last one on the first); empty if there is no cycle.
[[nodiscard]] std::vector<std::size_t> FindCycle(const DataFlowGraph& graph);

/// The names of the built-in graphs; see docs/workloads.md for their sources.
[[nodiscard]] std::vector<std::string> ExampleNames();

/// Nothing if there is no such graph. Its kinds are add, subtract, multiply and compare.
[[nodiscard]] std::optional<DataFlowGraph> ExampleGraph(std::string_view name);

}  // namespace evenkeel::workloads::parameter_estimation
