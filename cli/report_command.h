#pragma once

#include <filesystem>
#include <ostream>

namespace evenkeel::cli {

/// `evenkeel report DIR`: (re)writes `folder`/report.html and prints its path on `out`.
/// Returns the exit code: 0, or 2 with one line on `err`.
int RunReportCommand(const std::filesystem::path& folder, std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
