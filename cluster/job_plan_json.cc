#include "cluster/job_plan_json.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "cluster/weighted_job_json.h"

namespace evenkeel::cluster {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxAttempt = 1'000'000'000;
constexpr std::int64_t kMaxWorkerSecrets = 1000;

// Those of coordinators.
constexpr double kLeastRate = 1e-30;
constexpr double kMaxRate = 1e30;
constexpr double kLeastSigma = 0.01;
// A ConfigMap has room for 1 MiB, and a job may have 10,000 nodes: the lightest go without.
constexpr std::size_t kMaxRowsWithParts = 1024;

std::optional<model::NodePower> PowerOf(const json& node) {
  const double full = Number(node, "powerWatts", 0);
  if (full <= 0) return std::nullopt;
  return model::NodePower{full, Number(node, "idlePowerWatts", 0)};
}

json PartsJson(const WeightParts& parts) {
  json object{{"fuzzy", parts.fuzzy},
              {"measured", parts.measured},
              {"busySeconds", parts.busy_seconds},
              {"ageSeconds", parts.age_seconds},
              {"confidence", parts.confidence}};
  if (!parts.note.empty()) object["note"] = parts.note;
  return object;
}

json RowJson(const PlannedNode& node, bool with_parts) {
  json row{{"name", node.name}, {"ratio", node.ratio}, {"weight", node.weight}};
  if (node.power) {
    row["powerWatts"] = node.power->full_watts;
    row["idlePowerWatts"] = node.power->idle_watts;
  }
  if (node.left_out) row["leftOut"] = true;
  if (!node.parts || !with_parts) return row;
  row["parts"] = PartsJson(*node.parts);
  const double rate = node.parts->rate;
  if (rate >= kLeastRate && rate <= kMaxRate) row["rate"] = rate;
  row["sigma"] = std::clamp(node.parts->sigma, kLeastSigma, 1.0);
  return row;
}

json RowsJson(const std::vector<PlannedNode>& nodes) {
  json list = json::array();
  for (const PlannedNode& node : nodes) {
    const bool whole = list.size() < kMaxRowsWithParts;
    list.push_back(RowJson(node, whole));
  }
  return list;
}

PlannedNode ReadPlannedNode(const json& row) {
  PlannedNode node{Text(row, "name"), Number(row, "ratio", 1), Integer(row, "weight", 1),
                   PowerOf(row), Flag(row, "leftOut")};
  const json& parts = Child(row, "parts");
  if (!parts.is_object()) return node;
  node.parts = {Number(parts, "fuzzy", 1),    Number(parts, "measured"),
                Number(parts, "busySeconds"), Number(parts, "ageSeconds"),
                Number(parts, "confidence"),  Number(row, "rate"),
                Number(row, "sigma"),         Text(parts, "note")};
  return node;
}

std::vector<PlannedNode> ReadPlannedNodes(const json& list) {
  std::vector<PlannedNode> nodes;
  if (!list.is_array()) return nodes;
  for (const json& row : list) nodes.push_back(ReadPlannedNode(row));
  return nodes;
}

}  // namespace

std::string NodesJson(const std::vector<PlannedNode>& nodes) { return Compact(RowsJson(nodes)); }

std::string WeightsJson(const JobPlan& plan) {
  if (plan.history.reason.empty()) return {};
  return Compact({{"history", {{"reason", plan.history.reason}, {"message", plan.history.message}}},
                  {"joined", RowsJson(plan.joined)}});
}

JobPlan ReadJobPlan(const json& config_map) {
  const auto annotations = ReadObjectMeta(config_map).annotations;
  const json& data = Child(config_map, "data");
  JobPlan plan;
  plan.manifest = Text(data, "job.json");
  const json manifest = json::parse(plan.manifest, nullptr, false);
  const json& workload = Child(Child(manifest, "spec"), "workload");
  if (workload.is_object()) plan.workload = Compact(workload);
  plan.nodes = ReadPlannedNodes(json::parse(Text(data, "nodes.json"), nullptr, false));
  const json weights = json::parse(Text(data, "weights.json"), nullptr, false);
  plan.joined = ReadPlannedNodes(Items(weights, "joined"));
  const json& history = Child(weights, "history");
  plan.history = {Text(history, "reason"), Text(history, "message")};
  plan.identity = {At(annotations, annotation::kIdentity),
                   At(annotations, annotation::kIdentityAlsoTrusted),
                   platform::ParseTimestamp(At(annotations, annotation::kIdentitySince))};
  plan.worker_secrets = static_cast<std::int32_t>(
      IntegerIn(At(annotations, annotation::kWorkerSecrets), 1, kMaxWorkerSecrets, 1));
  plan.image = At(annotations, annotation::kImage);
  plan.attempt_seen = IntegerIn(At(annotations, annotation::kAttemptSeen), 0, kMaxAttempt, 0);
  plan.first_attempt = IntegerIn(At(annotations, annotation::kFirstAttempt), 1, kMaxAttempt, 1);
  return plan;
}

SnapshotView ReadSnapshotView(const json& config_map) {
  const auto annotations = ReadObjectMeta(config_map).annotations;
  return {IntegerIn(At(annotations, annotation::kAttempt), 0, kMaxAttempt, 0)};
}

std::string RatioText(double ratio) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6f", ratio);
  std::string short_text = text;
  short_text.erase(short_text.find_last_not_of('0') + 1);
  if (short_text.ends_with('.')) short_text.pop_back();
  return short_text;
}

}  // namespace evenkeel::cluster
