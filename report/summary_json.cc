#include "report/summary_json.h"

#include <array>
#include <utility>

#include "core/base/json_depth.h"
#include "platform/files.h"
#include "report/json_reader.h"
#include "report/task_facts_json.h"
#include "report/verification_json.h"

namespace evenkeel::report {
namespace {

using model::JobState;
using model::NodeSummary;
using model::RunSummary;

constexpr std::array kStates = {JobState::kComplete, JobState::kFailed, JobState::kInterrupted,
                                JobState::kRunning};

constexpr const char* kSource = "estimated from power labels or the catalogue of boards";

bool HasNumber(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && !found->is_null();
}

void AddNodeEnergy(const model::NodeSummary& node, Json& out) {
  out["powerWatts"] = node.power ? Json(node.power->full_watts) : Json();
  out["idlePowerWatts"] = node.power ? Json(node.power->idle_watts) : Json();
  out["dynamicJoules"] = node.joules ? Json(node.joules->dynamic) : Json();
  out["idleJoules"] = node.joules ? Json(node.joules->idle) : Json();
}

void ReadNodeEnergy(const Json& object, JsonReader& reader, model::NodeSummary& node) {
  if (HasNumber(object, "powerWatts")) {
    reader.Read("powerWatts", node.power.emplace().full_watts);
    reader.Read("idlePowerWatts", node.power->idle_watts);
  }
  if (HasNumber(object, "dynamicJoules")) {
    reader.Read("dynamicJoules", node.joules.emplace().dynamic);
    reader.Read("idleJoules", node.joules->idle);
  }
}

Json EnergyToJson(const std::optional<model::EnergySummary>& energy) {
  if (!energy) return {};
  Json out = {{"joules", energy->joules},
              {"dynamicJoules", energy->dynamic_joules},
              {"idleJoules", energy->idle_joules},
              {"standingJoules", energy->standing_joules},
              {"idlePower", energy->idle_counted ? "Counted" : "Ignored"},
              {"partial", energy->partial},
              {"source", kSource}};
  if (energy->time_factor) {
    out["timeFactor"] = *energy->time_factor;
    out["leftOut"] = energy->left_out;
  }
  return out;
}

std::optional<model::EnergySummary> EnergyFromJson(const Json& summary, std::string& problem) {
  const Json* const found =
      JsonReader(summary, "", problem).Child("energy", Json::value_t::object, Presence::kOptional);
  if (found == nullptr) return std::nullopt;
  model::EnergySummary energy;
  std::string idle;
  JsonReader reader(*found, "energy", problem);
  reader.Read("joules", energy.joules);
  reader.Read("dynamicJoules", energy.dynamic_joules);
  reader.Read("idleJoules", energy.idle_joules);
  reader.Read("standingJoules", energy.standing_joules);
  reader.Read("idlePower", idle);
  energy.idle_counted = idle == "Counted";
  reader.Read("partial", energy.partial);
  if (!found->contains("timeFactor")) return energy;
  reader.Read("timeFactor", energy.time_factor.emplace());
  if (const Json* names = reader.Child("leftOut", Json::value_t::array)) {
    for (const Json& name : *names) {
      if (name.is_string()) energy.left_out.push_back(name.get<std::string>());
    }
  }
  return energy;
}

Json ReduceToJson(const model::ReduceRecord& reduce) {
  Json out = {{"status", reduce.failure.empty() ? "succeeded" : "failed"},
              {"exitCode", reduce.exit_code ? Json(*reduce.exit_code) : Json()},
              {"seconds", reduce.seconds},
              {"attempts", reduce.attempts}};
  if (!reduce.failure.empty()) out["reason"] = reduce.failure;
  out["stdout"] = reduce.output;
  out["stderr"] = reduce.error;
  if (reduce.output_cut) out["stdoutCut"] = true;
  if (reduce.error_cut) out["stderrCut"] = true;
  return out;
}

std::optional<model::ReduceRecord> ReduceFromJson(const Json& summary, std::string& problem) {
  const Json* const found =
      JsonReader(summary, "", problem).Child("reduce", Json::value_t::object, Presence::kOptional);
  if (found == nullptr) return std::nullopt;
  model::ReduceRecord reduce;
  JsonReader reader(*found, "reduce", problem);
  std::int64_t exit_code = 0;
  std::int64_t attempts = 0;
  if (HasNumber(*found, "exitCode")) {
    reader.Read("exitCode", exit_code);
    reduce.exit_code = static_cast<std::int32_t>(exit_code);
  }
  reader.Read("seconds", reduce.seconds);
  reader.Read("attempts", attempts);
  reduce.attempts = static_cast<std::int32_t>(attempts);
  reader.Read("reason", reduce.failure, Presence::kOptional);
  reader.Read("stdout", reduce.output);
  reader.Read("stderr", reduce.error);
  reader.Read("stdoutCut", reduce.output_cut, Presence::kOptional);
  reader.Read("stderrCut", reduce.error_cut, Presence::kOptional);
  return reduce;
}

/// Adds nothing if the node has fetched no data.
void AddNodeData(const NodeSummary& node, Json& out) {
  if (node.transfer.bytes == 0) return;
  out["dataWaitSeconds"] = node.data_wait_seconds;
  out["fetchedBytes"] = node.transfer.bytes;
  out["fetchSeconds"] = ToSeconds(node.transfer.time);
}

void ReadNodeData(const Json& object, JsonReader& reader, NodeSummary& node) {
  if (!object.contains("fetchedBytes")) return;
  double fetch_seconds = 0;
  reader.Read("dataWaitSeconds", node.data_wait_seconds);
  reader.Read("fetchedBytes", node.transfer.bytes);
  reader.Read("fetchSeconds", fetch_seconds);
  node.transfer.time = FromSeconds(fetch_seconds);
}

Json NodeToJson(const NodeSummary& node) {
  Json out = {{"name", node.name},
              {"weight", node.Weight()},
              {"ratio", node.ratio},
              {"share", node.share},
              {"completed", node.completed},
              {"stolenIn", node.stolen_in},
              {"stolenOut", node.stolen_out},
              {"busySeconds", node.busy_seconds},
              {"rate", node.mean_rate},
              {"finishSeconds", ToSeconds(node.last_end)},
              {"predictedFinishSeconds", ToSeconds(node.predicted_end)}};
  if (node.declared_speed) out["declaredSpeed"] = *node.declared_speed;
  AddNodeData(node, out);
  AddNodeEnergy(node, out);
  AddNodeTaskFacts(node, out);
  return out;
}

NodeSummary NodeFromJson(const Json& object, const std::string& where, std::string& problem) {
  NodeSummary node;
  JsonReader reader(object, where, problem);
  reader.Read("name", node.name);
  reader.Read("ratio", node.ratio);
  reader.Read("share", node.share);
  reader.Read("completed", node.completed);
  reader.Read("stolenIn", node.stolen_in);
  reader.Read("stolenOut", node.stolen_out);
  reader.Read("busySeconds", node.busy_seconds);
  reader.Read("rate", node.mean_rate);
  double last_end = 0;
  double predicted_end = 0;
  reader.Read("finishSeconds", last_end, Presence::kOptional);
  reader.Read("predictedFinishSeconds", predicted_end, Presence::kOptional);
  node.last_end = FromSeconds(last_end);
  node.predicted_end = FromSeconds(predicted_end);
  if (object.contains("declaredSpeed")) reader.Read("declaredSpeed", node.declared_speed.emplace());
  ReadNodeData(object, reader, node);
  ReadNodeEnergy(object, reader, node);
  ReadNodeTaskFacts(object, where, problem, node);
  return node;
}

void ReadState(JsonReader& reader, RunSummary& out) {
  std::string name;
  reader.Read("state", name);
  for (const JobState state : kStates) {
    if (StateName(state) == name) {
      out.state = state;
      return;
    }
  }
  reader.Complain("state", "one of Complete, Failed, Interrupted, Running expected");
}

void ReadTop(JsonReader& reader, RunSummary& out) {
  reader.Read("job", out.job);
  reader.Read("workload", out.workload, Presence::kOptional);
  ReadState(reader, out);
  reader.Read("reason", out.reason, Presence::kOptional);
  reader.Read("strategy", out.strategy);
  reader.Read("failedIndexes", out.failed_indexes, Presence::kOptional);
  reader.Read("makespanSeconds", out.makespan_seconds);
  reader.Read("startupSeconds", out.startup_seconds);
  reader.Read("lowerBoundSeconds", out.lower_bound_seconds);
  reader.Read("rateSource", out.rate_source);
  reader.Read("efficiency", out.efficiency);
  reader.Read("loadImbalancePercent", out.load_imbalance_percent);
  reader.Read("wastedSeconds", out.wasted_seconds);
  reader.Read("messages", out.messages);
  reader.Read("bytesSent", out.bytes_sent);
  reader.Read("bytesReceived", out.bytes_received);
  reader.Read("leaseSeconds", out.lease_seconds, Presence::kOptional);
  reader.Read("speedControl", out.speed_control, Presence::kOptional);
  reader.Read("seed", out.seed, Presence::kOptional);
  reader.Read("epoch", out.epoch, Presence::kOptional);
}

void ReadCounts(JsonReader& top, std::string& problem, RunSummary& out) {
  if (const Json* tasks = top.Child("tasks", Json::value_t::object)) {
    JsonReader reader(*tasks, "tasks", problem);
    reader.Read("total", out.tasks_total);
    reader.Read("completed", out.tasks_completed);
    reader.Read("failed", out.tasks_failed);
  }
  if (const Json* moves = top.Child("moves", Json::value_t::object)) {
    JsonReader reader(*moves, "moves", problem);
    reader.Read("reserved", out.moves.reserved);
    reader.Read("leased", out.moves.leased);
    reader.Read("copies", out.moves.copies);
  }
}

void ReadNodes(JsonReader& top, std::string& problem, RunSummary& out) {
  const Json* nodes = top.Child("nodes", Json::value_t::array);
  if (nodes == nullptr) return;
  for (std::size_t i = 0; i < nodes->size() && problem.empty(); ++i) {
    const std::string where = "nodes[" + std::to_string(i) + "]";
    if (!(*nodes)[i].is_object()) return top.Complain(where.c_str(), "object expected");
    out.nodes.push_back(NodeFromJson((*nodes)[i], where, problem));
  }
}

}  // namespace

std::string_view StateName(JobState state) {
  switch (state) {
    case JobState::kComplete:
      return "Complete";
    case JobState::kFailed:
      return "Failed";
    case JobState::kInterrupted:
      return "Interrupted";
    case JobState::kRunning:
      return "Running";
  }
  return "Running";
}

Result<std::string> SummaryToJson(const RunSummary& summary) {
  Json result = Json::parse(summary.result_json, nullptr, /*allow_exceptions=*/false);
  if (!result.is_object())
    return Fail(ErrorCode::kInternal, "the job's result is not a JSON object");

  Json nodes = Json::array();
  for (const NodeSummary& node : summary.nodes) nodes.push_back(NodeToJson(node));
  Json out = {
      {"job", summary.job},
      {"workload", summary.workload},
      {"state", StateName(summary.state)},
      {"reason", summary.reason},
      {"strategy", summary.strategy},
      {"tasks",
       {{"total", summary.tasks_total},
        {"completed", summary.tasks_completed},
        {"failed", summary.tasks_failed}}},
      {"failedIndexes", summary.failed_indexes},
      {"makespanSeconds", summary.makespan_seconds},
      {"startupSeconds", summary.startup_seconds},
      {"lowerBoundSeconds", summary.lower_bound_seconds},
      {"rateSource", summary.rate_source},
      {"efficiency", summary.efficiency},
      {"loadImbalancePercent", summary.load_imbalance_percent},
      {"wastedSeconds", summary.wasted_seconds},
      {"messages", summary.messages},
      {"moves",
       {{"reserved", summary.moves.reserved},
        {"leased", summary.moves.leased},
        {"copies", summary.moves.copies}}},
      {"bytesSent", summary.bytes_sent},
      {"bytesReceived", summary.bytes_received},
      {"leaseSeconds", summary.lease_seconds},
      {"speedControl", summary.speed_control},
      {"seed", summary.seed},
      {"epoch", summary.epoch},
      {"energy", EnergyToJson(summary.energy)},
      {"verification", summary.verification ? VerificationToJson(*summary.verification) : Json()},
      {"nodes", std::move(nodes)},
      {"result", std::move(result)}};
  if (summary.reduce) out["reduce"] = ReduceToJson(*summary.reduce);
  AddTaskFacts(summary, out);
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<RunSummary> SummaryFromJson(std::string_view text) {
  if (IsDeeperThan(text)) return InvalidInput(std::string(kAllowedJsonDepth));
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) return InvalidInput("is not JSON, or was cut off");
  if (!object.is_object()) return InvalidInput("is not a JSON object");

  RunSummary out;
  std::string problem;
  JsonReader top(object, "", problem);
  ReadTop(top, out);
  ReadCounts(top, problem, out);
  ReadNodes(top, problem, out);
  out.energy = EnergyFromJson(object, problem);
  out.verification = VerificationFromJson(object, problem);
  out.reduce = ReduceFromJson(object, problem);
  ReadTaskFacts(object, problem, out);
  if (const Json* result = top.Child("result", Json::value_t::object)) {
    out.result_json = result->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  if (!problem.empty()) return InvalidInput(problem);
  return out;
}

Result<void> WriteSummary(const std::filesystem::path& path, const RunSummary& summary) {
  const auto text = SummaryToJson(summary);
  if (!text) return tl::unexpected(text.error());
  return platform::WriteFileAtomically(path, *text);
}

Result<RunSummary> ReadSummary(const std::filesystem::path& path) {
  const auto text = platform::ReadInputFile(path);
  if (!text) return Fail(ErrorCode::kUnavailable, text.error().message);
  auto summary = SummaryFromJson(*text);
  if (!summary) return InvalidInput(path.string() + ": " + summary.error().message);
  return summary;
}

}  // namespace evenkeel::report
