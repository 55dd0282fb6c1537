#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace evenkeel::cli {

/// Describes the tasks of a WeightedJob, a line each for costs, ranges, needs and the reduce
/// command. Empty if the job has none of these. `job` is the object of the API server, of any
/// version; its texts are made printable.
[[nodiscard]] std::vector<std::string> DescribeTasks(const nlohmann::json& job);

}  // namespace evenkeel::cli
