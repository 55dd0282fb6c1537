#include "coordinator/service/result_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace evenkeel::coordinator {
namespace {

constexpr std::size_t kMaxFiles = 1000;
constexpr std::array<std::string_view, 4> kOthers = {"summary.json", "timeline.jsonl",
                                                     "report.html", "metrics.prom"};

bool EndsWith(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

bool IsResult(const std::string& name) {
  const bool unfinished = EndsWith(name, ".tmp") || EndsWith(name, ".partial");
  return !unfinished && name.front() != '.' && name.rfind("journal.db", 0) != 0 &&
         std::find(kOthers.begin(), kOthers.end(), name) == kOthers.end();
}

}  // namespace

std::vector<std::string> ResultFiles(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator() && names.size() < kMaxFiles;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    std::error_code unknown;
    const bool regular =
        entry->symlink_status(unknown).type() == std::filesystem::file_type::regular;
    if (regular && IsResult(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace evenkeel::coordinator
