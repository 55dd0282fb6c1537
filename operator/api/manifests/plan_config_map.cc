#include "operator/api/manifests/plan_config_map.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "operator/api/job_plan_json.h"
#include "operator/api/lenient_json.h"
#include "operator/api/manifests/frame.h"
#include "operator/api/names.h"

namespace evenkeel::api {
namespace {

/// The job as it is, to do what the run was started with.
std::string JobOfRun(const JobPlan& plan) {
  nlohmann::json manifest = nlohmann::json::parse(plan.manifest, nullptr, false);
  nlohmann::json workload = nlohmann::json::parse(plan.workload, nullptr, false);
  if (!Child(manifest, "spec").is_object() || !workload.is_object()) return plan.manifest;
  manifest["spec"]["workload"] = std::move(workload);
  return Compact(manifest);
}

}  // namespace

nlohmann::json PlanConfigMap(const WeightedJob& job, const JobPlan& plan) {
  nlohmann::json object =
      ObjectFrame("v1", "ConfigMap", PlanName(job.meta.name), component::kJob, job);
  object["metadata"]["annotations"] = {
      {annotation::kIdentity, plan.identity},
      {annotation::kImage, plan.image},
      {annotation::kAttemptSeen, std::to_string(plan.attempt_seen)},
      {annotation::kFirstAttempt, std::to_string(plan.first_attempt)}};
  object["data"] = {{"job.json", JobOfRun(plan)},
                    {"nodes.json", NodesJson(plan.nodes)},
                    {"ca.crt", plan.ca_certificate}};
  const std::string weights = WeightsJson(plan);
  if (!weights.empty()) object["data"]["weights.json"] = weights;
  return object;
}

}  // namespace evenkeel::api
