#include "operator/api/manifests/worker_pod.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "operator/api/job_plan_json.h"
#include "operator/api/lenient_json.h"
#include "operator/api/manifests/frame.h"
#include "operator/api/manifests/pod_parts.h"
#include "operator/api/names.h"
#include "operator/api/worker_template_json.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

json OnlyOn(const std::string& node) {
  const json name_is{{"key", "metadata.name"}, {"operator", "In"}, {"values", json::array({node})}};
  const json term{{"matchFields", json::array({name_is})}};
  return {{"nodeAffinity",
           {{"requiredDuringSchedulingIgnoredDuringExecution",
             {{"nodeSelectorTerms", json::array({term})}}}}}};
}

json Arguments(const WeightedJob& job, const WorkerPod& pod) {
  return json::array({"--coordinator", CoordinatorAddress(job.meta.name, job.meta.job_namespace),
                      "--node", pod.node, "--workload", job.spec.workload, "--threads",
                      std::to_string(pod.threads), "--ratio", RatioText(pod.ratio), "--tls-ca",
                      path::kTls + "/ca.crt", "--tls-cert", path::kTls + "/tls.crt", "--tls-key",
                      path::kTls + "/tls.key"});
}

/// Appends a list of the job's template.
void Append(json& list, const std::string& text) {
  const json more = json::parse(text, nullptr, false);
  if (!more.is_array()) return;
  for (const json& item : more) list.push_back(item);
}

}  // namespace

json WorkerPodManifest(const WeightedJob& job, const WorkerPod& pod) {
  json container = ContainerBase(job, kWorkerContainer, pod.image, "evenkeel-worker");
  container["args"] = Arguments(job, pod);
  container["resources"] = ResourcesJson(job.resources);
  if (!job.worker.env.empty()) Append(container["env"], job.worker.env);
  Append(container["volumeMounts"], job.worker.volume_mounts);

  json spec = PodSpecBase(job, kWorkerNodeLossSeconds);
  spec["restartPolicy"] = "OnFailure";
  spec["affinity"] = OnlyOn(pod.node);
  spec["containers"].push_back(std::move(container));
  Append(spec["volumes"], job.worker.volumes);
  AddCommonVolumes(spec, job, WorkerSecretName(job.meta.name));

  json object =
      ObjectFrame("v1", "Pod", WorkerPodName(job.meta.name, pod.node), component::kWorker, job);
  object["metadata"]["labels"][label::kWeight] = std::to_string(pod.weight);
  object["metadata"]["annotations"] = {{annotation::kRatio, RatioText(pod.ratio)},
                                       {annotation::kNode, pod.node},
                                       {annotation::kAttempt, std::to_string(pod.attempt)}};
  object["spec"] = std::move(spec);
  return object;
}

}  // namespace evenkeel::api
