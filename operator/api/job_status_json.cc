#include "operator/api/job_status_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "operator/api/lenient_json.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxWorkers = 10'000;

json ConditionJson(const Condition& condition) {
  return {{"type", condition.type},
          {"status", ToString(condition.status)},
          {"reason", condition.reason},
          {"message", condition.message},
          {"observedGeneration", condition.observed_generation},
          {"lastTransitionTime", FormatTimestamp(condition.last_transition)}};
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
  condition.last_transition = Time(object, "lastTransitionTime").value_or(Timestamp{});
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

void PutTime(json& object, const char* field, const std::optional<Timestamp>& time) {
  if (time) object[field] = FormatTimestamp(*time);
}

json ResultJson(const JobResult& result) {
  json object = json::object();
  PutText(object, "summary", result.summary);
  PutText(object, "location", result.location);
  return object;
}

}  // namespace

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
  if (!status.result.Empty()) object["result"] = ResultJson(status.result);
  for (const Condition& condition : status.conditions) {
    object["conditions"].push_back(ConditionJson(condition));
  }
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
  const json& result = Child(object, "result");
  status.result = {Text(result, "summary"), Text(result, "location")};
  for (const json& one : Items(object, "conditions")) {
    status.conditions.push_back(ReadCondition(one));
  }
  return status;
}

}  // namespace evenkeel::api
