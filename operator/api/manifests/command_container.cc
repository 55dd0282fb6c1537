#include "operator/api/manifests/command_container.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "operator/api/manifests/pod_parts.h"
#include "operator/api/names.h"
#include "operator/api/worker_template_json.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

const std::string kLauncher = "evenkeel-launcher";
const std::string kProgramVolume = "launcher";
const std::string kSocketVolume = "run";

/// What the folders hold is bounded: a task must not fill the disk of a node through them.
json Folder(const char* size_limit) { return {{"emptyDir", {{"sizeLimit", size_limit}}}}; }

/// A file system of a pod's own, as far as its image allows it: commands may write where they are
/// used to.
json CommandContainer(const WeightedJob& job) {
  json container = ContainerBase(job, kCommandContainer, job.task_image,
                                 path::kLauncherProgram + "/" + kLauncher);
  container["args"] = {"serve", LauncherSocket()};
  container["resources"] = ResourcesJson(job.resources);
  container["securityContext"].erase("readOnlyRootFilesystem");
  if (!job.worker.env.empty()) Append(container["env"], job.worker.env);
  Append(container["volumeMounts"], job.worker.volume_mounts);
  return container;
}

json LauncherInstaller(const WeightedJob& job, const std::string& worker_image) {
  json container = ContainerBase(job, kLauncherContainer, worker_image, kLauncher);
  container["args"] = {"install", path::kLauncherProgram};
  container["resources"] = ResourcesJson(RelayResources());
  container["volumeMounts"].push_back(
      {{"name", kOwnVolumePrefix + kProgramVolume}, {"mountPath", path::kLauncherProgram}});
  RunAsOwnUser(container);
  return container;
}

/// The user of the image, unless the job names one: files of the image belong to its user.
void RunAsUserOfImage(const WeightedJob& job, json& context) {
  const json asked = json::parse(job.worker.security_context, nullptr, false);
  for (const char* field : {"runAsUser", "runAsGroup"}) {
    if (!asked.is_object() || !asked.contains(field)) context.erase(field);
  }
}

}  // namespace

void AddCommandContainer(json& pod_spec, const WeightedJob& job, const std::string& worker_image) {
  RunAsUserOfImage(job, pod_spec["securityContext"]);
  pod_spec["initContainers"] = json::array({LauncherInstaller(job, worker_image)});
  pod_spec["containers"].push_back(CommandContainer(job));
  Append(pod_spec["volumes"], job.worker.volumes);
  AddVolume(pod_spec, kProgramVolume, Folder("64Mi"), path::kLauncherProgram, true);
  AddVolume(pod_spec, kSocketVolume, Folder("1Mi"), path::kLauncherRun, false);
  AddInputs(pod_spec, job);
  AddTemporary(pod_spec, "command-tmp");
}

void AddLauncherSocket(json& pod_spec) {
  AddMount(pod_spec, kSocketVolume, path::kLauncherRun, false);
}

std::string LauncherSocket() { return path::kLauncherRun + "/launcher.sock"; }

void RunAsOwnUser(json& container) {
  container["securityContext"]["runAsUser"] = kOwnUser;
  container["securityContext"]["runAsGroup"] = kOwnUser;
}

}  // namespace evenkeel::api
