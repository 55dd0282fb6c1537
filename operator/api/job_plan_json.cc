#include "operator/api/job_plan_json.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "operator/api/lenient_json.h"
#include "operator/api/names.h"
#include "operator/api/object_meta_json.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

constexpr std::int64_t kMaxAttempt = 1'000'000'000;

std::optional<model::NodePower> PowerOf(const json& node) {
  const double full = Number(node, "powerWatts", 0);
  if (full <= 0) return std::nullopt;
  return model::NodePower{full, Number(node, "idlePowerWatts", 0)};
}

}  // namespace

std::string NodesJson(const std::vector<PlannedNode>& nodes) {
  json list = json::array();
  for (const PlannedNode& node : nodes) {
    json row = {{"name", node.name}, {"ratio", node.ratio}, {"weight", node.weight}};
    if (node.power) {
      row["powerWatts"] = node.power->full_watts;
      row["idlePowerWatts"] = node.power->idle_watts;
    }
    if (node.left_out) row["leftOut"] = true;
    list.push_back(std::move(row));
  }
  return Compact(list);
}

JobPlan ReadJobPlan(const json& config_map) {
  const auto annotations = ReadObjectMeta(config_map).annotations;
  const json& data = Child(config_map, "data");
  JobPlan plan;
  plan.manifest = Text(data, "job.json");
  const json manifest = json::parse(plan.manifest, nullptr, false);
  const json& workload = Child(Child(manifest, "spec"), "workload");
  if (workload.is_object()) plan.workload = Compact(workload);
  const json nodes = json::parse(Text(data, "nodes.json"), nullptr, false);
  if (nodes.is_array()) {
    for (const json& node : nodes) {
      plan.nodes.push_back({Text(node, "name"), Number(node, "ratio", 1),
                            Integer(node, "weight", 1), PowerOf(node), Flag(node, "leftOut")});
    }
  }
  plan.ca_certificate = Text(data, "ca.crt");
  plan.identity = At(annotations, annotation::kIdentity);
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

}  // namespace evenkeel::api
