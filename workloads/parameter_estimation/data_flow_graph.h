#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::workloads::parameter_estimation {

/// One operation of a computation: what it does, and whose results it needs.
struct Operation {
  std::string name;
  std::string kind;                ///< "add", "multiply": whatever the job's units say they do
  std::vector<std::size_t> after;  ///< places of the operations that come before it
};

/// The operations of a computation and how data flows between them; inputs and constants are not
/// part of it.
using DataFlowGraph = std::vector<Operation>;

/// All places, each behind those it comes after, else in the order of the graph. Shorter than the
/// graph if that has a cycle: what is on one or behind one is missing.
[[nodiscard]] std::vector<std::size_t> TopologicalOrder(const DataFlowGraph& graph);

/// The places along one cycle, each of which comes after the one behind it in the list (the last
/// one after the first); empty if there is none.
[[nodiscard]] std::vector<std::size_t> FindCycle(const DataFlowGraph& graph);

/// The names of the graphs that are shipped; see docs/workloads.md for where they come from.
[[nodiscard]] std::vector<std::string> ExampleNames();

/// Nothing if there is no such graph. Its kinds are add, subtract, multiply and compare.
[[nodiscard]] std::optional<DataFlowGraph> ExampleGraph(std::string_view name);

}  // namespace evenkeel::workloads::parameter_estimation
