#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace evenkeel::cli {

/// What a WeightedJob says of its tasks, a line each: their costs, ranges and needs, and what comes
/// after them. Empty if it leaves all of these out. `job` is the object of the API server, of any
/// version; its texts are made printable.
[[nodiscard]] std::vector<std::string> DescribeTasks(const nlohmann::json& job);

}  // namespace evenkeel::cli
