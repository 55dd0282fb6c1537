#include "cli/kubectl/result_list.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "cli/human_text.h"
#include "core/base/json_depth.h"
#include "platform/text.h"
#include "workloads/stored_outputs.h"
#include "workloads/task_files.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxFiles = 1000;
constexpr std::array<std::string_view, 6> kOurs{"summary.json", "timeline.jsonl", "report.html",
                                                "metrics.prom", "journal.db",     "reduce"};

tl::unexpected<Error> Refuse(const std::string& what) {
  return Fail(ErrorCode::kInternal, "the coordinator's list of results: " + what);
}

tl::unexpected<Error> RefuseOutputs(const std::string& what) {
  return Fail(ErrorCode::kInternal, "the coordinator's list of output files: " + what);
}

json ParseShallow(const std::string& text) {
  return IsDeeperThan(text) ? json() : json::parse(text, nullptr, false);
}

/// The index of a task, if the value is one that is at least `from`.
std::optional<model::TaskIndex> TaskFrom(const json& value, model::TaskIndex from) {
  constexpr auto kMax =
      static_cast<std::uint64_t>(std::numeric_limits<model::TaskIndex>::max() / 2);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMax) return std::nullopt;
  const auto task = value.get<model::TaskIndex>();
  return task < from ? std::nullopt : std::optional(task);
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

Result<OutputTasks> ReadOutputTasks(const std::string& text, model::TaskIndex from) {
  const json list = ParseShallow(text);
  const model::TaskIndex end = from + workloads::kListedTasks;
  const json ranges = list.is_object() ? list.value("tasks", json()) : json();
  if (!ranges.is_array()) return RefuseOutputs("has no list of tasks");
  OutputTasks tasks;
  model::TaskIndex free = from;
  for (const json& range : ranges) {
    const bool is_pair = range.is_array() && range.size() == 2;
    const auto first = is_pair ? TaskFrom(range[0], free) : std::nullopt;
    const auto last = first ? TaskFrom(range[1], *first) : std::nullopt;
    if (!last || *last >= end) return RefuseOutputs("has a range of tasks that is none");
    tasks.tasks.Insert({*first, *last + 1});
    free = *last + 1;
  }
  if (list.contains("next")) {
    tasks.next = TaskFrom(list["next"], end);
    if (!tasks.next) return RefuseOutputs("has a next task that is none");
  }
  return tasks;
}

Result<std::vector<OutputFile>> ReadOutputFiles(const std::string& text) {
  const json list = ParseShallow(text);
  if (!list.is_array()) return RefuseOutputs("is no JSON list");
  if (list.size() > workloads::kMaxOutputFiles) {
    return RefuseOutputs("has more than " + std::to_string(workloads::kMaxOutputFiles) +
                         " files of one task");
  }
  std::vector<OutputFile> files;
  std::set<std::string> paths;
  for (const json& item : list) {
    const json encoded = item.is_object() ? item.value("path", json()) : json();
    const json bytes = item.is_object() ? item.value("bytes", json()) : json();
    const auto path = encoded.is_string()
                          ? platform::DecodePercent(encoded.get_ref<const std::string&>())
                          : std::nullopt;
    if (!path) return RefuseOutputs("has an entry without a path");
    const std::string shown = workloads::ShownPath(*path);
    if (const std::string mistake = workloads::PathMistake(*path); !mistake.empty()) {
      return RefuseOutputs("\"" + shown + "\" " + mistake);
    }
    if (!bytes.is_number_unsigned()) return RefuseOutputs("\"" + shown + "\" has no valid size");
    if (!paths.insert(*path).second) return RefuseOutputs("\"" + shown + "\" is there twice");
    files.push_back({*path, bytes.get<std::uint64_t>()});
  }
  return files;
}

}  // namespace evenkeel::cli
