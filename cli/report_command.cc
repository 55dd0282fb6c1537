#include "cli/report_command.h"

#include <string>

#include "report/html_report.h"

namespace evenkeel::cli {
namespace {

/// Why `folder` cannot be reported on; empty if it can.
std::string MissingInput(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return folder.string() + ": is no folder";
  for (const char* name : {"summary.json", "timeline.jsonl"}) {
    if (!std::filesystem::is_regular_file(folder / name, ignored)) {
      return folder.string() + ": holds no " + name + "; the folder of a finished run is expected";
    }
  }
  return {};
}

}  // namespace

int RunReportCommand(const std::filesystem::path& folder, std::ostream& out, std::ostream& err) {
  std::string problem = MissingInput(folder);
  if (problem.empty()) {
    const auto path = report::WriteReport(folder);
    if (path) {
      out << path->string() << '\n';
      return 0;
    }
    problem = path.error().message;
  }
  err << "evenkeel: " << problem << '\n';
  return 2;
}

}  // namespace evenkeel::cli
