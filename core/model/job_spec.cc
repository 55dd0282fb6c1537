#include "core/model/job_spec.h"

#include <algorithm>
#include <array>
#include <utility>

namespace evenkeel::model {
namespace {

constexpr std::array<std::pair<StrategyName, const char*>, 7> kStrategies{{
    {StrategyName::kTailStealing, "TailStealing"},
    {StrategyName::kDomainDecomposition, "DomainDecomposition"},
    {StrategyName::kMasterSlave, "MasterSlave"},
    {StrategyName::kModifiedMasterSlave, "ModifiedMasterSlave"},
    {StrategyName::kAdaptiveIterative, "AdaptiveIterative"},
    {StrategyName::kCompensated, "Compensated"},
    {StrategyName::kInterleaved, "Interleaved"},
}};

}  // namespace

std::string ToString(StrategyName name) {
  for (const auto& [value, text] : kStrategies) {
    if (value == name) return text;
  }
  return "?";
}

std::optional<StrategyName> ParseStrategyName(const std::string& text) {
  for (const auto& [value, name] : kStrategies) {
    if (text == name) return value;
  }
  return std::nullopt;
}

std::vector<StrategyName> AllStrategies() {
  std::vector<StrategyName> all;
  for (const auto& entry : kStrategies) all.push_back(entry.first);
  return all;
}

std::string ToString(const RerunSelection& selection) {
  if (!selection.indexes) return "failed";
  return ToIndexString(*selection.indexes, selection.indexes->RangeCount());
}

Result<void> CheckRerun(const RerunSelection& selection, const TaskPolicy& policy,
                        std::int64_t tasks, const std::string& where) {
  if (policy.success.Any()) {
    return InvalidInput(
        "spec.taskPolicy.successPolicy: must be absent, because such a job is complete without the "
        "tasks that run again");
  }
  if (!selection.indexes || selection.indexes->Back().end <= tasks) return {};
  return InvalidInput(where + ": must be below " + std::to_string(tasks) + ", is " +
                      std::to_string(selection.indexes->Back().end - 1) + " (the job has " +
                      std::to_string(tasks) + " tasks)");
}

std::vector<EnvironmentVariable> ThreadVariables(const JobSpec& job) {
  constexpr std::int64_t kCoreMillicores = 1000;
  const auto& cpu_millicores = job.task_resources.cpu_millicores;
  if (!cpu_millicores) return {};
  const std::string threads =
      std::to_string(std::max<std::int64_t>(*cpu_millicores / kCoreMillicores, 1));
  std::vector<EnvironmentVariable> variables;
  for (const char* const name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                 "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS", "GOMAXPROCS",
                                 "RAYON_NUM_THREADS", "JULIA_NUM_THREADS", "POLARS_MAX_THREADS"}) {
    const bool is_set = std::any_of(job.environment.begin(), job.environment.end(),
                                    [name](const auto& own) { return own.name == name; });
    if (!is_set) variables.push_back({name, threads});
  }
  return variables;
}

std::string ExpandReferences(const std::string& text,
                             const std::map<std::string, std::string>& known) {
  std::string expanded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (text[at] == '$' && next == '$') {
      expanded += '$';
      ++at;
      continue;
    }
    const std::size_t end = text[at] == '$' && next == '(' ? text.find(')', at) : text.npos;
    const auto found =
        end == text.npos ? known.end() : known.find(text.substr(at + 2, end - at - 2));
    if (found == known.end()) {
      expanded += text[at];
      continue;
    }
    expanded += found->second;
    at = end;
  }
  return expanded;
}

}  // namespace evenkeel::model
