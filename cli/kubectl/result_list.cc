#include "cli/kubectl/result_list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/human_text.h"
#include "platform/text.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFiles = 1000;
constexpr std::array<std::string_view, 6> kOurs{"summary.json", "timeline.jsonl", "report.html",
                                                "metrics.prom", "journal.db",     "reduce"};

tl::unexpected<Error> Refuse(const std::string& what) {
  return Fail(ErrorCode::kInternal, "the coordinator's list of results: " + what);
}

constexpr std::string_view kReduceFolder = "reduce/";

bool IsResultName(std::string_view name) {
  if (name.starts_with(kReduceFolder)) name.remove_prefix(kReduceFolder.size());
  return platform::IsPlainFileName(name);
}

std::string LowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return text;
}

/// Some file systems take names that differ in case for the same.
bool IsTaken(const std::vector<ResultFile>& files, const std::string& name) {
  const std::string wanted = LowerCase(name);
  return std::find(kOurs.begin(), kOurs.end(), wanted) != kOurs.end() ||
         std::any_of(files.begin(), files.end(),
                     [&wanted](const ResultFile& file) { return LowerCase(file.name) == wanted; });
}

}  // namespace

Result<std::vector<ResultFile>> ReadResultList(const std::string& text) {
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) return Refuse("is no JSON list");
  if (list.size() > kMaxFiles) return Refuse("has more than 1000 files");

  std::vector<ResultFile> files;
  for (const json& item : list) {
    const json name = item.is_object() ? item.value("name", json()) : item;
    if (!name.is_string()) return Refuse("has an entry without a name");
    ResultFile file{name.get<std::string>(), std::nullopt};
    if (!IsResultName(file.name)) {
      return Refuse("\"" + Printable(file.name, 80) + "\" is not the name of a plain file");
    }
    if (IsTaken(files, file.name)) return Refuse("\"" + file.name + "\" is taken already");
    if (item.is_object() && item.contains("bytes")) {
      if (!item["bytes"].is_number_unsigned()) return Refuse(file.name + " has no valid size");
      file.bytes = item["bytes"].get<std::uint64_t>();
    }
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace evenkeel::cli
