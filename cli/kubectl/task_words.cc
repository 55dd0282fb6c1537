#include "cli/kubectl/task_words.h"

#include <absl/strings/str_join.h>

#include <utility>

#include "cluster/json_fields.h"
#include "core/base/printable.h"
#include "core/model/field_reader.h"

namespace evenkeel::cli {
namespace {

using cluster::Child;
using cluster::Flag;
using cluster::Integer;
using cluster::Text;
using nlohmann::json;

constexpr std::size_t kMaxTextBytes = 200;

std::string Shown(const std::string& text) { return Printable(text, kMaxTextBytes); }

std::string DescribeCosts(const json& cost, const json& spec) {
  const std::string hint = "; they are hints, and dropped if measured times do not follow them";
  if (cost.contains("column")) {
    return "costs: column " + std::to_string(Integer(cost, "column")) +
           " of the file of arguments" + hint;
  }
  if (cost.contains("list")) return "costs: listed in the job" + hint;
  if (Flag(cost, "fileSize")) {
    return "costs: bytes of the files that the arguments name" + hint;
  }
  if (Flag(cost, "learned")) {
    const std::string profile = Text(spec, "profile");
    return "costs: learned from earlier runs of " +
           (profile.empty() ? "the same profile" : "profile " + Shown(profile)) + hint;
  }
  return {};
}

std::string DescribeRange(const json& range) {
  std::string text = "ranges: one run of the command does many of the " +
                     std::to_string(Integer(range, "tasks")) + " tasks";
  if (range.contains("minTasks")) {
    text += ", at least " + std::to_string(Integer(range, "minTasks"));
  }
  if (range.contains("maxTasks")) {
    text += ", at most " + std::to_string(Integer(range, "maxTasks"));
  }
  return text;
}

std::string DescribeNeeds(const json& needs) {
  std::vector<std::string> amounts;
  for (const auto& [resource, quantity] : needs.items()) {
    amounts.push_back(Shown(resource) + " " + Shown(model::QuantityText(quantity)));
  }
  return "needs of each: " + absl::StrJoin(amounts, ", ") +
         "; a node runs as many at a time as fit";
}

std::string DescribeReduce(const json& words) {
  std::vector<std::string> shown;
  for (const json& word : words) {
    if (word.is_string()) shown.push_back(word.get<std::string>());
  }
  return "after the last one: " + Shown(absl::StrJoin(shown, " "));
}

}  // namespace

std::vector<std::string> DescribeTasks(const json& job) {
  const json& spec = Child(job, "spec");
  const json& command = Child(Child(spec, "workload"), "command");
  const json& cost = Child(command, "cost");
  const json& range = Child(command, "range");
  const json& reduce = Child(command, "reduce");
  const json& needs = Child(Child(spec, "worker"), "taskResources");
  std::vector<std::string> lines;
  if (cost.is_object()) {
    if (std::string line = DescribeCosts(cost, spec); !line.empty()) {
      lines.push_back(std::move(line));
    }
  }
  if (range.is_object()) lines.push_back(DescribeRange(range));
  if (needs.is_object() && !needs.empty()) lines.push_back(DescribeNeeds(needs));
  if (reduce.is_array()) lines.push_back(DescribeReduce(reduce));
  return lines;
}

}  // namespace evenkeel::cli
