#include "cli/kubectl/job_object.h"

#include <algorithm>
#include <cmath>

#include "cli/human_text.h"
#include "cli/kubectl/object_places.h"
#include "cluster/job_status.h"
#include "core/model/decimal.h"
#include "core/model/names.h"
#include "platform/time.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRows = 1000;

std::string PrintableAt(const json& object, const char* place, const std::string& otherwise = "") {
  const json& value = ValueAt(object, place);
  return value.is_string() ? Printable(value.get_ref<const std::string&>()) : otherwise;
}

/// Numbers, also as text: "63%" is 0.63.
double Number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return 0;
  std::string text = value.get<std::string>();
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  return model::ParseDecimal(text).value_or(0) / (percent ? 100 : 1);
}

std::int64_t Count(const json& object, const char* place) {
  const json& value = ValueAt(object, place);
  return value.is_number_integer() ? std::max<std::int64_t>(value.get<std::int64_t>(), 0) : 0;
}

/// The items of a list, at most so many as anybody reads.
std::vector<json> Items(const json& object, const char* place) {
  const json& value = ListAt(object, place);
  return {value.begin(),
          value.begin() + static_cast<std::ptrdiff_t>(std::min(value.size(), kMaxRows))};
}

void ReadSpec(const json& spec, JobObject& job) {
  job.suspend = ValueAt(spec, "/suspend") == json(true);
  job.policy = PrintableAt(spec, "/weighting/policy", job.policy);
  job.weighting_mode = PrintableAt(spec, "/weighting/mode", job.weighting_mode);
  job.strategy = PrintableAt(spec, "/balancing/strategy", job.strategy);
  job.result_claim = PrintableAt(spec, "/resultStorage/persistentVolumeClaim");
  job.declares_outputs = !ListAt(spec, "/workload/command/outputs").empty();
  for (const json& name : Items(spec, "/after")) job.after.push_back(PrintableAt(name, ""));
  const std::string earlier = PrintableAt(spec, "/rerun/job");
  if (!earlier.empty()) job.after.push_back(earlier);
  const json& nodes = ValueAt(spec, "/nodes");
  if (ValueAt(nodes, "/maxWorkers").is_number_integer()) {
    job.max_workers = Count(nodes, "/maxWorkers");
  }
}

/// A share is a number of tasks or a percentage.
double ShareOf(const json& share, std::int64_t tasks_total) {
  const double number = Number(share);
  if (share.is_string()) return number;
  return tasks_total > 0 ? number / static_cast<double>(tasks_total) : 0;
}

void ReadStatus(const json& status, JobObject& job) {
  const json& tasks = ValueAt(status, "/tasks");
  job.tasks_total = Count(tasks, "/total");
  job.tasks_completed = Count(tasks, "/completed");
  job.tasks_failed = Count(tasks, "/failed");
  job.failed_indexes = PrintableAt(status, "/failedIndexes");
  job.progress = std::clamp(Number(ValueAt(status, "/progress")), 0.0, 1.0);
  job.start = ReadTime(ValueAt(status, "/startTime"));
  job.completion = ReadTime(ValueAt(status, "/completionTime"));
  job.estimated_completion = ReadTime(ValueAt(status, "/estimatedCompletionTime"));
  job.observed_generation = Count(status, "/observedGeneration");
  job.result_summary = PrintableAt(status, "/result/summary");
  job.result_location = PrintableAt(status, "/result/location");
  for (const json& row : Items(status, "/workers")) {
    job.workers.push_back({PrintableAt(row, "/node"), Number(ValueAt(row, "/weight")),
                           ShareOf(ValueAt(row, "/share"), job.tasks_total),
                           Count(row, "/completed"), Count(row, "/stolen"),
                           Number(ValueAt(row, "/rate")), PrintableAt(row, "/state"),
                           PrintableAt(row, "/weightSource")});
  }
  for (const json& row : Items(status, "/after")) {
    job.seen_complete.push_back(PrintableAt(row, "/name"));
  }
  for (const json& row : Items(status, "/conditions")) {
    job.conditions.push_back({PrintableAt(row, "/type"), PrintableAt(row, "/status"),
                              PrintableAt(row, "/reason"), PrintableAt(row, "/message"),
                              ReadTime(ValueAt(row, "/lastTransitionTime"))});
    job.observed_generation = std::max(job.observed_generation, Count(row, "/observedGeneration"));
  }
}

}  // namespace

std::optional<double> ReadTime(const json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto time = platform::ParseTimestamp(value.get_ref<const std::string&>());
  return time ? std::optional(platform::ToUnixSeconds(*time)) : std::nullopt;
}

const JobCondition* JobObject::Find(const std::string& type) const {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&type](const JobCondition& c) { return c.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool JobObject::Is(const std::string& type) const {
  const JobCondition* condition = Find(type);
  return condition != nullptr && condition->status == "True";
}

std::string JobObject::State() const {
  return cluster::JobState(
      [this](const std::string& type) -> std::optional<std::pair<std::string, std::string>> {
        const JobCondition* found = Find(type);
        if (found == nullptr) return std::nullopt;
        return std::pair(found->status, found->reason);
      });
}

JobObject ReadJobObject(const json& object) {
  JobObject job;
  const json& metadata = ValueAt(object, "/metadata");
  job.name = PrintableAt(metadata, "/name");
  job.name_space = PrintableAt(metadata, "/namespace");
  job.created = ReadTime(ValueAt(metadata, "/creationTimestamp"));
  job.generation = Count(metadata, "/generation");
  ReadSpec(ValueAt(object, "/spec"), job);
  ReadStatus(ValueAt(object, "/status"), job);
  return job;
}

Result<void> CheckJobName(const std::string& name) {
  if (model::IsDnsLabel(name)) return {};
  return InvalidInput("JOB: must be the name of a WeightedJob (" + model::kAllowedDnsLabel +
                      "), is \"" + Printable(name, 80) + "\"");
}

}  // namespace evenkeel::cli
