#include "operator/manifests/coordinator_pod.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cluster/names.h"
#include "cluster/weighted_job_json.h"
#include "operator/manifests/pod_parts.h"

namespace evenkeel::cluster {
namespace {

/// Folder of a result claim that its jobs share: the costs that they learned. No folder of a job
/// has this name, because that ends with the job's UID.
const std::string kLearnedClaimFolder = "evenkeel-learned-costs";

bool KeepsLearnedCosts(const WeightedJob& job) {
  return job.learns_costs && !job.result_claim.empty();
}

/// Folder of the job of spec.rerun, whose end the status has recorded before this job starts. If it
/// has not, the folder does not exist, and the coordinator refuses the job.
std::string EarlierClaimFolder(const WeightedJob& job) {
  const std::string& name = job.spec.rerun->job;
  std::string uid;
  for (const CompletedDependency& one : job.status.after) {
    if (one.name == name) uid = one.uid;
  }
  return ClaimFolder(name, uid);
}
/// Whether a command of the user runs in the pod after the last task.
bool RunsReduce(const WeightedJob& job) { return job.has_reduce && !job.task_image.empty(); }

using nlohmann::json;

std::string Listening(int at) { return "0.0.0.0:" + std::to_string(at); }

json Requirement(const std::string& key, const std::string& op, json values) {
  json requirement{{"key", key}, {"operator", op}};
  if (!values.empty()) requirement["values"] = std::move(values);
  return requirement;
}

json RequirementsOf(const std::vector<model::NodeRequirement>& requirements) {
  json list = json::array();
  for (const model::NodeRequirement& one : requirements) {
    list.push_back(Requirement(one.key, model::ToString(one.op), one.values));
  }
  return list;
}

/// A term for each of the job's, with what is required of every node.
json NodeSelectorTerms(const model::NodeAffinity& affinity, const json& required) {
  if (affinity.terms.empty()) return json::array({{{"matchExpressions", required}}});
  json terms = json::array();
  for (const model::NodeSelectorTerm& term : affinity.terms) {
    json one{{"matchExpressions", required}};
    const json more = RequirementsOf(term.expressions);
    one["matchExpressions"].insert(one["matchExpressions"].end(), more.begin(), more.end());
    if (!term.fields.empty()) one["matchFields"] = RequirementsOf(term.fields);
    terms.push_back(std::move(one));
  }
  return terms;
}

/// Where the job's workers may run, on an architecture of the image; rather not on the slowest
/// board, which would be slower still.
json Affinity(const WeightedJob& job, const CoordinatorPod& pod) {
  json required = json::array({Requirement(label::kSystem, "In", json::array({"linux"}))});
  if (!pod.architectures.empty()) {
    required.push_back(Requirement(label::kArchitecture, "In", pod.architectures));
  }
  for (const auto& [key, value] : job.spec.node_selector) {
    required.push_back(Requirement(key, "In", json::array({value})));
  }
  json affinity{{"requiredDuringSchedulingIgnoredDuringExecution",
                 {{"nodeSelectorTerms", NodeSelectorTerms(job.spec.node_affinity, required)}}}};

  json avoided = json::array();  // the API server allows one value for each
  for (const std::string& node : pod.avoided_nodes) {
    avoided.push_back(Requirement("metadata.name", "NotIn", json::array({node})));
  }
  if (!avoided.empty()) {
    const json preference{{"weight", 100}, {"preference", {{"matchFields", std::move(avoided)}}}};
    affinity["preferredDuringSchedulingIgnoredDuringExecution"] = json::array({preference});
  }
  return {{"nodeAffinity", std::move(affinity)}};
}

json Arguments(const WeightedJob& job, const CoordinatorPod& pod) {
  json args = json::array({"--job",
                           path::kPlan + "/job.json",
                           "--nodes",
                           path::kPlan + "/nodes.json",
                           "--folder",
                           path::kData,
                           "--listen",
                           Listening(port::kWorkers),
                           "--tls-ca",
                           path::kTls + "/ca.crt",
                           "--tls-cert",
                           path::kTls + "/tls.crt",
                           "--tls-key",
                           path::kTls + "/tls.key",
                           "--health-listen",
                           Listening(port::kHealth),
                           "--probe-listen",
                           Listening(port::kProbes),
                           "--control-listen",
                           Listening(port::kControl),
                           "--control-token-file",
                           path::kTls + "/operator-token",
                           "--pages-listen",
                           "127.0.0.1:" + std::to_string(port::kPages)});
  const auto add = [&args](const char* flag, const std::string& value) {
    args.push_back(flag);
    args.push_back(value);
  };
  add("--namespace", job.meta.namespace_name);
  if (pod.with_snapshot) add("--snapshot", path::kSnapshot + "/journal.db.z");
  if (job.inputs.Any()) add("--inputs", path::kInputs);
  if (KeepsLearnedCosts(job)) add("--learned-costs", path::kLearned);
  if (job.spec.rerun) add("--earlier", path::kEarlier);
  if (RunsReduce(job)) add("--launcher-socket", LauncherSocket());
  return args;
}

json Probe(const char* path, int period_seconds, int failures) {
  return {{"httpGet", {{"path", path}, {"port", port::kProbes}}},
          {"periodSeconds", period_seconds},
          {"timeoutSeconds", 5},
          {"failureThreshold", failures}};
}

json Ports() {
  json ports = json::array();
  for (const auto& [name, number] :
       {std::pair{"grpc", port::kWorkers}, std::pair{"health", port::kHealth},
        std::pair{"control", port::kControl}, std::pair{"probes", port::kProbes}}) {
    ports.push_back({{"name", name}, {"containerPort", number}});
  }
  return ports;
}

json PlanVolume(const WeightedJob& job) {
  const auto file = [](const char* name) { return json{{"key", name}, {"path", name}}; };
  return {{"configMap",
           {{"name", PlanName(job.meta.name)},
            {"items", json::array({file("job.json"), file("nodes.json")})}}}};
}

void AddData(json& spec, const WeightedJob& job) {
  if (job.result_claim.empty()) {
    AddVolume(spec, "data", Folder(kDataLimit), path::kData, false);
    return;
  }
  AddVolume(spec, "data", {{"persistentVolumeClaim", {{"claimName", job.result_claim}}}},
            path::kData, false);
  json& mounts = spec["containers"].back()["volumeMounts"];
  // Several jobs may share a claim; none sees the results of another.
  mounts.back()["subPath"] = ClaimFolder(job.meta.name, job.meta.uid);
  if (KeepsLearnedCosts(job)) {
    AddMount(spec, "data", path::kLearned, false);
    mounts.back()["subPath"] = kLearnedClaimFolder;
  }
  if (job.spec.rerun) {
    AddMount(spec, "data", path::kEarlier, true);
    mounts.back()["subPath"] = EarlierClaimFolder(job);
  }
}

/// The limits of the job. Nothing is reserved: the command runs when the workers have gone. So
/// there are no extended resources, of which the limit is the request.
ResourceRequirements ReduceResources(const WeightedJob& job) {
  // A quota of the namespace may demand that these are requested.
  ResourceRequirements resources{{{"cpu", "0"}, {"memory", "0"}}, {}};
  const auto extended = ExtendedResources(job.resources.limits);
  for (const auto& [name, quantity] : job.resources.limits) {
    if (extended.contains(name)) continue;
    resources.limits[name] = quantity;
    resources.requests[name] = "0";  // without it, the limit would be requested
  }
  return resources;
}

/// The container of the reduce command. It can read the folder of the job and write to the folder
/// of the command in it; the keys of the coordinator are not mounted.
void AddReduceContainer(json& spec, const WeightedJob& job, const CoordinatorPod& pod) {
  RunAsOwnUser(spec["containers"].back());
  AddLauncherSocket(spec);
  AddCommandContainer(spec, job, pod.image, ReduceResources(job), CommandRole::kReduce);
  json& container = spec["containers"].back();
  const std::string folder =
      job.result_claim.empty() ? "" : ClaimFolder(job.meta.name, job.meta.uid) + "/";
  AddMount(spec, "data", path::kData, true);
  if (!folder.empty()) {
    container["volumeMounts"].back()["subPath"] = ClaimFolder(job.meta.name, job.meta.uid);
  }
  AddMount(spec, "data", path::kReduce, false);
  container["volumeMounts"].back()["subPath"] = folder + path::kReduceFolder;
}

}  // namespace

json CoordinatorPodManifest(const WeightedJob& job, const CoordinatorPod& pod) {
  json container = ContainerBase(job, kCoordinatorContainer, pod.image, "evenkeel-coordinator");
  container["args"] = Arguments(job, pod);
  container["ports"] = Ports();
  container["resources"] = ResourcesJson(CoordinatorResources());
  // Slow boards take their time to start and to read a long journal.
  container["startupProbe"] = Probe("/healthz", 1, 300);
  container["livenessProbe"] = Probe("/healthz", 10, 6);
  container["readinessProbe"] = Probe("/readyz", 2, 5);

  json spec = PodSpecBase(
      job, job.result_claim.empty() ? kUnclaimedNodeLossSeconds : kCoordinatorNodeLossSeconds);
  spec["restartPolicy"] = "Always";
  spec["affinity"] = Affinity(job, pod);
  spec["containers"].push_back(std::move(container));
  AddTls(spec, CoordinatorSecretName(job.meta.name));
  AddInputs(spec, job);
  AddTemporary(spec, "tmp", kTemporaryLimit);
  AddVolume(spec, "plan", PlanVolume(job), path::kPlan, true);
  if (pod.with_snapshot) {
    AddVolume(spec, "snapshot", {{"configMap", {{"name", SnapshotName(job.meta.name)}}}},
              path::kSnapshot, true);
  }
  AddData(spec, job);
  if (RunsReduce(job)) AddReduceContainer(spec, job, pod);

  json object = ObjectFrame("v1", "Pod", CoordinatorPodName(job.meta.name, pod.attempt),
                            component::kCoordinator, job);
  object["metadata"]["labels"][label::kAttempt] = std::to_string(pod.attempt);
  json& annotations = object["metadata"]["annotations"];
  annotations = {{annotation::kAttempt, std::to_string(pod.attempt)}};
  if (RunsReduce(job)) annotations[annotation::kDefaultContainer] = kCoordinatorContainer;
  AddTemplateMarks(object["metadata"], job);
  object["spec"] = std::move(spec);
  return object;
}

void AnnotateForScrapes(json& pod) {
  json& annotations = pod["metadata"]["annotations"];
  annotations["prometheus.io/scrape"] = "true";
  annotations["prometheus.io/port"] = std::to_string(port::kHealth);
  annotations["prometheus.io/path"] = "/metrics";
}

}  // namespace evenkeel::cluster
