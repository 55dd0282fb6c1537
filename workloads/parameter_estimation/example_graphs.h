#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/parameter_estimation/data_flow_graph.h"

namespace evenkeel::workloads::parameter_estimation {

/// The names of the graphs that are shipped; see docs/workloads.md for where they come from.
[[nodiscard]] std::vector<std::string> ExampleNames();

/// Nothing if there is no such graph. Its kinds are add, subtract, multiply and compare.
[[nodiscard]] std::optional<DataFlowGraph> ExampleGraph(std::string_view name);

}  // namespace evenkeel::workloads::parameter_estimation
