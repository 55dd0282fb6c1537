#include "core/model/task_description.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/printable.h"
#include "core/model/cost_model.h"
#include "core/model/field_reader.h"

namespace evenkeel::model {
namespace {

constexpr std::size_t kMaxTextBytes = 200;
constexpr std::size_t kMaxNeeds = 16;
constexpr std::size_t kMaxReduceWords = 256;
constexpr std::size_t kMaxReduceBytes = 64 << 10;
constexpr IntRange kCounts{1, INT64_MAX};
constexpr double kBytesShown = 1e6;

std::string Shown(const std::string& text) { return Printable(text, kMaxTextBytes); }

/// Nothing if no source of costs is named.
std::string DescribeCosts(FieldReader& cost, const std::string& profile) {
  const std::int64_t column = cost.OptionalInt("column", kCounts, 0);
  if (column > 0) return "column " + std::to_string(column) + " of the file of arguments";
  if (cost.Has("list")) return "listed in the job";
  if (cost.OptionalBool("fileSize", false)) return "bytes of the files that the arguments name";
  if (!cost.OptionalBool("learned", false)) return {};
  return "learned from earlier runs of " +
         (profile.empty() ? "the same profile" : "profile " + Shown(profile));
}

void AddCosts(FieldReader cost, const std::string& profile, TaskDescription& description) {
  const std::string source = DescribeCosts(cost, profile);
  if (source.empty()) return;
  const bool bytes = cost.OptionalBool("fileSize", false);
  description.cost_unit = bytes ? "1 MB" : "A cost of 1";
  description.cost_unit_size = bytes ? kBytesShown : kUnitsPerDeclaredCost;
  description.notes.push_back(
      {"costs", source + "; they are hints, and dropped if measured times do not follow them"});
}

std::string DescribeRange(FieldReader range) {
  std::string text = "one run of the command does many of the " +
                     std::to_string(range.OptionalInt("tasks", kCounts, 0)) + " tasks";
  const std::int64_t least = range.OptionalInt("minTasks", kCounts, 0);
  const std::int64_t most = range.OptionalInt("maxTasks", kCounts, 0);
  if (least > 0) text += ", at least " + std::to_string(least);
  if (most > 0) text += ", at most " + std::to_string(most);
  return text;
}

std::string DescribeNeeds(const std::map<std::string, std::string>& needs) {
  std::vector<std::string> amounts;
  for (const auto& [resource, quantity] : needs) {
    if (amounts.size() < kMaxNeeds) amounts.push_back(Shown(resource) + " " + Shown(quantity));
  }
  return Joined(amounts) + "; a node runs as many at a time as fit";
}

std::string DescribeReduce(FieldReader& command) {
  std::string line;
  const std::vector<std::string> words =
      command.Strings("reduce", kMaxReduceWords, kMaxReduceBytes);
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return Shown(line);
}

/// `amount` in the largest of the units by which it can be divided, the last of which is 1.
std::string InLargestUnit(std::int64_t amount,
                          const std::vector<std::pair<std::int64_t, const char*>>& units) {
  for (const auto& [size, name] : units) {
    if (amount % size == 0) return std::to_string(amount / size) + name;
  }
  return std::to_string(amount);
}

}  // namespace

TaskDescription DescribeTasks(const TaskFields& fields) {
  TaskDescription description;
  const auto add = [&description](const char* name, std::string text) {
    description.notes.push_back({name, std::move(text)});
  };
  FieldReader command(fields.command, "command");
  if (command.Any("cost").is_object()) {
    AddCosts(command.OptionalObject("cost"), fields.profile, description);
  }
  if (command.Any("range").is_object()) {
    add("ranges", DescribeRange(command.OptionalObject("range")));
  }
  if (!fields.needs.empty()) add("needs of each", DescribeNeeds(fields.needs));
  if (std::string words = DescribeReduce(command); !words.empty()) {
    add("after the last one", std::move(words));
  }
  return description;
}

std::map<std::string, std::string> Quantities(const TaskResources& needs) {
  std::map<std::string, std::string> texts;
  if (needs.cpu_millicores) {
    texts["cpu"] = InLargestUnit(*needs.cpu_millicores, {{1000, ""}, {1, "m"}});
  }
  if (needs.memory_bytes) {
    texts["memory"] =
        InLargestUnit(*needs.memory_bytes, {{1LL << 30U, "Gi"}, {1LL << 20U, "Mi"}, {1, ""}});
  }
  for (const auto& [resource, amount] : needs.extended) texts[resource] = std::to_string(amount);
  return texts;
}

}  // namespace evenkeel::model
