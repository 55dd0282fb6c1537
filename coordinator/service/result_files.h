#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace evenkeel::coordinator {

/// Names of the result files in a job's folder, sorted: regular files that are neither the
/// journal's nor summary, timeline, report or metrics, nor unfinished. At most 1,000.
[[nodiscard]] std::vector<std::string> ResultFiles(const std::filesystem::path& folder);

}  // namespace evenkeel::coordinator
