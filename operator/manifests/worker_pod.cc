#include "operator/manifests/worker_pod.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cluster/job_plan_json.h"
#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "cluster/weighted_job_json.h"
#include "operator/manifests/pod_parts.h"

namespace evenkeel::cluster {
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
  json args = json::array(
      {"--coordinator", CoordinatorAddress(job.meta.name, job.meta.namespace_name), "--node",
       pod.node, "--workload", job.spec.workload, "--threads", std::to_string(pod.threads),
       "--ratio", RatioText(pod.ratio), "--tls-ca", path::kTls + "/ca.crt", "--tls-cert",
       path::kTls + "/tls.crt", "--tls-key", path::kTls + "/tls.key"});
  if (pod.task_memory_bytes > 0) {
    args.push_back("--task-memory");
    args.push_back(std::to_string(pod.task_memory_bytes));
  }
  if (!job.task_image.empty()) {
    args.push_back("--launcher-socket");
    args.push_back(LauncherSocket());
  }
  if (job.has_files) {
    // Half of the space: the directories of tasks and their output files need some, too.
    for (const std::string& word :
         {std::string("--file-cache"), path::kFileCache, std::string("--file-cache-bytes"),
          std::to_string(job.spec.file_storage_bytes / 2), std::string("--task-folder"),
          path::kTaskFolder}) {
      args.push_back(word);
    }
    if (!job.spec.file_cache_claim.empty()) {
      args.push_back("--persistent-file-cache");
      args.push_back(path::kPersistentFileCache);
    }
  }
  return args;
}

/// Where and under which name the worker serves others; the workload decides whether it does.
void AddPeers(json& arguments, const WeightedJob& job) {
  for (const std::string& word : {std::string("--peer-name"), WorkerName(job.meta.name),
                                  std::string("--peer-port"), std::to_string(port::kBlocks)}) {
    arguments.push_back(word);
  }
}

/// The certificate of this worker alone.
void AddWorkerTls(json& spec, const WeightedJob& job, const WorkerPod& pod) {
  const std::string name = WorkerPodName(job.meta.name, pod.node);
  AddTls(spec, WorkerSecretName(job.meta.name, name, pod.secrets),
         {{"ca.crt", "ca.crt"}, {name + ".crt", "tls.crt"}, {name + ".key", "tls.key"}});
}

/// A worker that runs the tasks itself.
void AddWorker(json& spec, const WeightedJob& job, const WorkerPod& pod, json container) {
  AddPeers(container["args"], job);
  container["resources"] = ResourcesJson(pod.resources.value_or(job.resources));
  AddTaskEnvironment(container, job);
  Append(container["volumeMounts"], job.worker.volume_mounts);
  spec["containers"].push_back(std::move(container));
  Append(spec["volumes"], job.worker.volumes);
  AddWorkerTls(spec, job, pod);
  AddInputs(spec, job);
  AddTemporary(spec, "tmp", kTaskTemporaryLimit);
}

/// A worker whose tasks run in a container of their own. That one is first: images are pulled in
/// this order, and without it the worker has nothing to do.
void AddWorkerAndCommand(json& spec, const WeightedJob& job, const WorkerPod& pod, json container) {
  AddCommandContainer(spec, job, pod.image, pod.resources.value_or(job.resources),
                      CommandRole::kTasks);
  if (job.has_files) AddPeers(container["args"], job);
  container["resources"] = ResourcesJson(RelayResources());
  RunAsOwnUser(container);
  spec["containers"].push_back(std::move(container));
  AddLauncherSocket(spec);
  if (job.has_files) {
    AddTaskFiles(spec, job, FileAccess::kAll);
    AddFileCache(spec, job, pod.node);
  }
  AddWorkerTls(spec, job, pod);
  AddTemporary(spec, "tmp", kTemporaryLimit);
}

}  // namespace

json WorkerPodManifest(const WeightedJob& job, const WorkerPod& pod) {
  json container = ContainerBase(job, kWorkerContainer, pod.image, "evenkeel-worker");
  container["args"] = Arguments(job, pod);

  json spec = PodSpecBase(job, kWorkerNodeLossSeconds);
  spec["restartPolicy"] = "OnFailure";
  spec["affinity"] = OnlyOn(pod.node);
  if (job.task_image.empty()) {
    AddWorker(spec, job, pod, std::move(container));
  } else {
    AddWorkerAndCommand(spec, job, pod, std::move(container));
  }

  json object =
      ObjectFrame("v1", "Pod", WorkerPodName(job.meta.name, pod.node), component::kWorker, job);
  object["metadata"]["labels"][label::kWeight] = std::to_string(pod.weight);
  object["metadata"]["annotations"] = {{annotation::kRatio, RatioText(pod.ratio)},
                                       {annotation::kNode, pod.node},
                                       {annotation::kAttempt, std::to_string(pod.attempt)},
                                       {annotation::kDefaultContainer, kWorkerContainer}};
  AddTemplateMarks(object["metadata"], job);
  object["spec"] = std::move(spec);
  return object;
}

}  // namespace evenkeel::cluster
