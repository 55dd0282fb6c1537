#include "cluster/job_status_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "cluster/json_fields.h"
#include "core/base/json_depth.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxWorkers = 10'000;

json ConditionJson(const Condition& condition) {
  return {{"type", condition.type},
          {"status", ToString(condition.status)},
          {"reason", condition.reason},
          {"message", condition.message},
          {"observedGeneration", condition.observed_generation},
          {"lastTransitionTime", platform::FormatTimestamp(condition.last_transition)}};
}

Condition ReadCondition(const json& object) {
  Condition condition;
  condition.type = Text(object, "type");
  const std::string status = Text(object, "status");
  condition.status = status == "True"    ? Condition::Status::kTrue
                     : status == "False" ? Condition::Status::kFalse
                                         : Condition::Status::kUnknown;
  condition.reason = Text(object, "reason");
  condition.message = Text(object, "message");
  condition.observed_generation = Integer(object, "observedGeneration");
  condition.last_transition = Time(object, "lastTransitionTime").value_or(platform::Timestamp{});
  return condition;
}

json RowJson(const WorkerRow& row) {
  return {{"node", row.node},
          {"weight", row.weight},
          {"share", row.share},
          {"completed", row.completed},
          {"stolen", row.stolen},
          {"state", row.state},
          {"weightSource", row.weight_source}};
}

WorkerRow ReadRow(const json& object) {
  WorkerRow row;
  row.node = Text(object, "node");
  row.weight = Integer(object, "weight", 1);
  row.share = Integer(object, "share");
  row.completed = Integer(object, "completed");
  row.stolen = Integer(object, "stolen");
  row.state = Text(object, "state");
  row.weight_source = Text(object, "weightSource");
  return row;
}

void PutText(json& object, const char* field, const std::string& text) {
  if (!text.empty()) object[field] = text;
}

void PutTime(json& object, const char* field, const std::optional<platform::Timestamp>& time) {
  if (time) object[field] = platform::FormatTimestamp(*time);
}

json ResultJson(const JobResult& result) {
  json object = json::object();
  PutText(object, "summary", result.summary);
  PutText(object, "location", result.location);
  return object;
}

}  // namespace

json ConditionsJson(const Conditions& conditions) {
  json list = json::array();
  for (const Condition& condition : conditions) list.push_back(ConditionJson(condition));
  return list;
}

Conditions ReadConditions(const json& status) {
  Conditions conditions;
  for (const json& one : Items(status, "conditions")) conditions.push_back(ReadCondition(one));
  return conditions;
}

json StatusJson(const JobStatus& status) {
  json object{{"observedGeneration", status.observed_generation},
              {"activeWorkers", status.active_workers}};
  PutText(object, "state", status.state);
  if (status.tasks) {
    object["tasks"] = {{"total", status.tasks->total},
                       {"completed", status.tasks->completed},
                       {"failed", status.tasks->failed}};
  }
  PutText(object, "progress", status.progress);
  PutText(object, "failedIndexes", status.failed_indexes);
  PutTime(object, "startTime", status.start_time);
  PutTime(object, "completionTime", status.completion_time);
  PutTime(object, "estimatedCompletionTime", status.estimated_completion_time);
  for (const WorkerRow& row : status.workers) object["workers"].push_back(RowJson(row));
  for (const CompletedDependency& one : status.after) {
    object["after"].push_back({{"name", one.name}, {"uid", one.uid}});
  }
  if (!status.result.Empty()) object["result"] = ResultJson(status.result);
  if (!status.conditions.empty()) object["conditions"] = ConditionsJson(status.conditions);
  return object;
}

JobStatus ReadStatus(const json& object) {
  JobStatus status;
  status.observed_generation = Integer(object, "observedGeneration");
  status.state = Text(object, "state");
  status.active_workers = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(Integer(object, "activeWorkers"), 0, kMaxWorkers));
  if (const json& tasks = Child(object, "tasks"); tasks.is_object()) {
    status.tasks =
        TaskCounts{Integer(tasks, "total"), Integer(tasks, "completed"), Integer(tasks, "failed")};
  }
  status.progress = Text(object, "progress");
  status.failed_indexes = Text(object, "failedIndexes");
  status.start_time = Time(object, "startTime");
  status.completion_time = Time(object, "completionTime");
  status.estimated_completion_time = Time(object, "estimatedCompletionTime");
  for (const json& row : Items(object, "workers")) status.workers.push_back(ReadRow(row));
  for (const json& one : Items(object, "after")) {
    status.after.push_back({Text(one, "name"), Text(one, "uid")});
  }
  const json& result = Child(object, "result");
  status.result = {Text(result, "summary"), Text(result, "location")};
  status.conditions = ReadConditions(object);
  return status;
}

namespace {

using nlohmann::json;

constexpr std::size_t kMaxReason = 1024;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxState = 32;
constexpr std::size_t kMaxResult = 1024;
constexpr double kMaxSeconds = 315'360'000;  // ten years
constexpr double kMaxRatio = 1e9;
constexpr double kMaxUnits = 1e18;
constexpr std::int64_t kMaxThreads = 4096;

constexpr std::pair<const char*, CoordinatorState> kStates[] = {
    {"Running", CoordinatorState::kRunning},         {"Complete", CoordinatorState::kComplete},
    {"Failed", CoordinatorState::kFailed},           {"Blocked", CoordinatorState::kBlocked},
    {"Interrupted", CoordinatorState::kInterrupted},
};

/// Cut at a whole character, without line breaks and other control characters.
std::string Bounded(std::string text, std::size_t max_bytes) {
  if (text.size() > max_bytes) {
    while (max_bytes > 0 && (static_cast<unsigned char>(text[max_bytes]) & 0xC0U) == 0x80U) {
      --max_bytes;
    }
    text.resize(max_bytes);
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return text;
}

std::int64_t Count(const json& object, const char* field) {
  return std::max<std::int64_t>(0, Integer(object, field));
}

double NumberUpTo(const json& object, const char* field, double most) {
  return std::clamp(Number(object, field), 0.0, most);
}

/// Anything but ranges of indexes is not for a status. The text itself may be long: the
/// writer cuts it.
std::string IndexText(const std::string& text) {
  const bool good = text.find_first_not_of("0123456789,-.") == std::string::npos;
  return good ? text : std::string();
}

WorkerProgress ReadWorker(const json& object) {
  WorkerProgress worker;
  worker.node = Bounded(Text(object, "node"), kMaxName);
  worker.ratio = NumberUpTo(object, "ratio", kMaxRatio);
  worker.connected = Flag(object, "connected");
  worker.share = Count(object, "share");
  worker.completed = Count(object, "completed");
  worker.stolen = Count(object, "stolen");
  worker.rate = NumberUpTo(object, "rate", std::numeric_limits<double>::max());
  worker.state = Bounded(Text(object, "state"), kMaxState);
  return worker;
}

ExcludedNode ReadExcluded(const json& object) {
  ExcludedNode excluded;
  excluded.node = Bounded(Text(object, "node"), kMaxName);
  excluded.reason = Bounded(Text(object, "reason"), kMaxReason);
  excluded.revoked = Count(object, "revoked");
  return excluded;
}

NodeWork ReadWork(const json& object) {
  NodeWork work;
  work.node = Bounded(Text(object, "node"), kMaxName);
  work.units = NumberUpTo(object, "units", kMaxUnits);
  work.busy_seconds = NumberUpTo(object, "busySeconds", kMaxSeconds * kMaxThreads);
  work.threads = std::min<std::int64_t>(Count(object, "threads"), kMaxThreads);
  return work;
}

}  // namespace

Result<Progress> ReadProgress(std::string_view text) {
  if (IsDeeperThan(text)) return InvalidInput("progress: " + std::string(kAllowedJsonDepth));
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return InvalidInput("progress: must be a JSON object");
  const std::string state = Text(object, "state");
  const auto known = std::find_if(std::begin(kStates), std::end(kStates),
                                  [&state](const auto& entry) { return state == entry.first; });
  if (known == std::end(kStates)) {
    return InvalidInput("progress.state: \"" + Bounded(state, kMaxState) + "\" is not known");
  }
  Progress progress;
  progress.state = known->second;
  progress.epoch = Count(object, "epoch");
  progress.reason = Bounded(Text(object, "reason"), kMaxReason);
  progress.cause = model::ParseEndCause(Text(object, "cause"));
  const json& tasks = Child(object, "tasks");
  progress.tasks = {Count(tasks, "total"), Count(tasks, "completed"), Count(tasks, "failed")};
  progress.fraction = NumberUpTo(object, "progress", 1);
  progress.reduce_attempt = Count(object, "reduceAttempt");
  if (Child(object, "etaSeconds").is_number()) {
    progress.eta = FromSeconds(NumberUpTo(object, "etaSeconds", kMaxSeconds));
  }
  progress.active = FromSeconds(NumberUpTo(object, "activeSeconds", kMaxSeconds));
  progress.failed_indexes = IndexText(Text(object, "failedIndexes"));
  for (const json& worker : Items(object, "workers")) {
    if (progress.workers.size() < kMaxWorkerRows) progress.workers.push_back(ReadWorker(worker));
  }
  for (const json& node : Items(Child(object, "verification"), "excludedNodes")) {
    if (progress.excluded.size() < kMaxWorkerRows) progress.excluded.push_back(ReadExcluded(node));
  }
  const std::string desired = Text(object, "desiredState");
  if (desired == "Suspended" || desired == "Running") {
    progress.desired_suspended = desired == "Suspended";
  }
  if (Child(object, "containerEndsDigest").is_string()) {
    progress.container_ends_digest = Bounded(Text(object, "containerEndsDigest"), kMaxState);
  }
  progress.workload_digest = Bounded(Text(object, "workloadDigest"), kMaxState);
  for (const json& row : Items(object, "work")) {
    if (progress.work.size() < kMaxWorkRows) progress.work.push_back(ReadWork(row));
  }
  const json& result = Child(object, "result");
  if (result.is_object()) {
    progress.result = Compact(result);
    if (progress.result.size() > kMaxResult) progress.result.clear();
  }
  return progress;
}

}  // namespace evenkeel::cluster
