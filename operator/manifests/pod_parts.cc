#include "operator/manifests/pod_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "cluster/weighted_job_json.h"
#include "core/model/manifest.h"
#include "core/model/names.h"
#include "core/model/pod_template_parsing.h"

namespace evenkeel::cluster {

using nlohmann::json;

json PodLabels(const WeightedJob& job, const std::string& component) {
  return {{label::kName, kAppName}, {label::kComponent, component}, {label::kJob, job.meta.name}};
}

json ObjectFrame(const std::string& api_version, const std::string& kind, const std::string& name,
                 const std::string& component, const WeightedJob& job) {
  json labels = PodLabels(job, component);
  labels[label::kManagedBy] = kManager;
  json owner{{"apiVersion", model::kApiVersion},
             {"kind", kJobKind},
             {"name", job.meta.name},
             {"uid", job.meta.uid},
             {"controller", true},
             {"blockOwnerDeletion", true}};
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", job.meta.namespace_name},
            {"labels", std::move(labels)},
            {"ownerReferences", json::array({std::move(owner)})}}}};
}

void AddTemplateMarks(json& metadata, const WeightedJob& job) {
  for (const auto& [field, marks] : {std::pair{"labels", &job.worker.labels},
                                     std::pair{"annotations", &job.worker.annotations}}) {
    for (const auto& [key, value] : *marks) {
      if (!metadata[field].contains(key)) metadata[field][key] = value;
    }
  }
}

namespace {

using nlohmann::json;

constexpr int kReadableByGroup = 0440;

/// A list or object of the template, which is canonical JSON or empty.
json Parsed(const std::string& text, json fallback) {
  json value = json::parse(text, nullptr, false);
  return value.is_discarded() ? fallback : value;
}

json SecurityContext(const WeightedJob& job) {
  json context{{"runAsNonRoot", true},
               {"runAsUser", kOwnUser},
               {"runAsGroup", kOwnUser},
               {"fsGroup", kOwnUser},
               // Claims may be large and shared: do not walk through all of their files each time.
               {"fsGroupChangePolicy", "OnRootMismatch"},
               {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  const json asked = Parsed(job.worker.security_context, json::object());
  for (const std::string& field : model::SecurityFields()) {
    if (asked.contains(field)) context[field] = asked[field];
  }
  return context;
}

json TolerationJson(const Toleration& toleration) {
  json object = json::object();
  const auto put = [&object](const char* field, const std::string& text) {
    if (!text.empty()) object[field] = text;
  };
  put("key", toleration.key);
  put("operator", toleration.op);
  put("value", toleration.value);
  put("effect", toleration.effect);
  if (toleration.seconds) object["tolerationSeconds"] = *toleration.seconds;
  return object;
}

json Tolerations(const WeightedJob& job, std::int64_t node_loss_seconds) {
  json list = json::array();
  for (const Toleration& one : job.tolerations) list.push_back(TolerationJson(one));
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    list.push_back(TolerationJson({key, "Exists", "", "NoExecute", node_loss_seconds}));
  }
  return list;
}

// A coordinator drains for 20 s at most and then takes up to 10 s to write results and report.
constexpr int kGraceSeconds = 45;

}  // namespace

json PodSpecBase(const WeightedJob& job, std::int64_t node_loss_seconds) {
  json spec{{"automountServiceAccountToken", false},
            {"enableServiceLinks", false},
            {"terminationGracePeriodSeconds", kGraceSeconds},
            {"securityContext", SecurityContext(job)},
            {"tolerations", Tolerations(job, node_loss_seconds)},
            {"containers", json::array()},
            {"volumes", json::array()}};
  if (!job.worker.image_pull_secrets.empty()) {
    spec["imagePullSecrets"] = Parsed(job.worker.image_pull_secrets, json::array());
  }
  if (!job.worker.priority_class_name.empty()) {
    spec["priorityClassName"] = job.worker.priority_class_name;
  }
  return spec;
}

json ContainerBase(const WeightedJob& job, const std::string& name, const std::string& image,
                   const std::string& program) {
  const std::string& policy = job.worker.image_pull_policy;
  return {{"name", name},
          {"image", image},
          {"imagePullPolicy", policy.empty() ? "IfNotPresent" : policy},
          {"command", json::array({program})},
          {"args", json::array()},
          {"volumeMounts", json::array()},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"securityContext",
           {{"allowPrivilegeEscalation", false},
            {"readOnlyRootFilesystem", true},
            {"capabilities", {{"drop", json::array({"ALL"})}}}}}};
}

json ResourcesJson(const ResourceRequirements& resources) {
  json object = json::object();
  if (!resources.requests.empty()) object["requests"] = resources.requests;
  if (!resources.limits.empty()) object["limits"] = resources.limits;
  return object;
}

void Append(json& list, const std::string& text) {
  const json more = json::parse(text, nullptr, false);
  if (!more.is_array()) return;
  for (const json& item : more) list.push_back(item);
}

void AddTaskEnvironment(json& container, const WeightedJob& job) {
  for (const model::EnvironmentVariable& variable : model::ThreadVariables(job.spec)) {
    container["env"].push_back({{"name", variable.name}, {"value", variable.value}});
  }
  if (!job.worker.env.empty()) Append(container["env"], job.worker.env);
}

void AddVolume(json& pod_spec, const std::string& name, json source, const std::string& path,
               bool read_only) {
  source["name"] = kOwnVolumePrefix + name;
  json& volumes = pod_spec["volumes"];
  const bool is_there = std::any_of(volumes.begin(), volumes.end(), [&source](const json& volume) {
    return volume["name"] == source["name"];
  });
  if (!is_there) volumes.push_back(std::move(source));
  AddMount(pod_spec, name, path, read_only);
}

void AddMount(json& pod_spec, const std::string& name, const std::string& path, bool read_only) {
  json mount{{"name", kOwnVolumePrefix + name}, {"mountPath", path}};
  if (read_only) mount["readOnly"] = true;
  pod_spec["containers"].back()["volumeMounts"].push_back(std::move(mount));
}

void AddTls(json& pod_spec, const std::string& secret,
            const std::map<std::string, std::string>& items) {
  json source{{"secretName", secret}, {"defaultMode", kReadableByGroup}};
  for (const auto& [key, file] : items) source["items"].push_back({{"key", key}, {"path", file}});
  AddVolume(pod_spec, "tls", {{"secret", std::move(source)}}, path::kTls, true);
}

void AddInputs(json& pod_spec, const WeightedJob& job) {
  if (!job.inputs.claim.empty()) {
    AddVolume(pod_spec, "inputs", {{"persistentVolumeClaim", {{"claimName", job.inputs.claim}}}},
              path::kInputs, true);
  } else if (!job.inputs.config_map.empty()) {
    AddVolume(pod_spec, "inputs", {{"configMap", {{"name", job.inputs.config_map}}}}, path::kInputs,
              true);
  }
}

void AddTaskFiles(json& pod_spec, const WeightedJob& job, FileAccess access) {
  const bool all = access == FileAccess::kAll;
  AddVolume(pod_spec, "files", Folder(std::to_string(job.spec.file_storage_bytes)),
            all ? path::kFiles : path::kTaskFolder, false);
  if (!all) {
    pod_spec["containers"].back()["volumeMounts"].back()["subPath"] = path::kTaskFolderName;
  }
}

void AddFileCache(json& pod_spec, const WeightedJob& job, const std::string& node) {
  if (job.spec.file_cache_claim.empty()) return;
  const std::string claim = model::NameForNode(job.spec.file_cache_claim, node);
  AddVolume(pod_spec, "file-cache", {{"persistentVolumeClaim", {{"claimName", claim}}}},
            path::kFileCacheClaim, false);
}

json Folder(const std::string& size_limit) { return {{"emptyDir", {{"sizeLimit", size_limit}}}}; }

void AddTemporary(json& pod_spec, const std::string& name, const std::string& size_limit) {
  const json& mounts = pod_spec["containers"].back()["volumeMounts"];
  const bool has_temporary = std::any_of(mounts.begin(), mounts.end(), [](const json& mount) {
    return Text(mount, "mountPath") == path::kTemporary;
  });
  if (has_temporary) return;
  AddVolume(pod_spec, name, Folder(size_limit), path::kTemporary, false);
}

namespace {

using nlohmann::json;

const std::string kLauncher = "evenkeel-launcher";
const std::string kProgramVolume = "launcher";
const std::string kSocketVolume = "run";

/// A file system of a pod's own, as far as its image allows it: commands may write where they are
/// used to.
json CommandContainer(const WeightedJob& job, const ResourceRequirements& resources) {
  json container = ContainerBase(job, kCommandContainer, job.task_image,
                                 path::kLauncherProgram + "/" + kLauncher);
  container["args"] = {"serve", LauncherSocket()};
  container["resources"] = ResourcesJson(resources);
  container["securityContext"].erase("readOnlyRootFilesystem");
  AddTaskEnvironment(container, job);
  Append(container["volumeMounts"], job.worker.volume_mounts);
  return container;
}

json LauncherInstaller(const WeightedJob& job, const std::string& worker_image,
                       bool with_task_folder) {
  json container = ContainerBase(job, kLauncherContainer, worker_image, kLauncher);
  container["args"] = {"install", path::kLauncherProgram};
  container["resources"] = ResourcesJson(RelayResources());
  container["volumeMounts"].push_back(
      {{"name", kOwnVolumePrefix + kProgramVolume}, {"mountPath", path::kLauncherProgram}});
  if (with_task_folder) {
    // Before the container of the command starts: Kubernetes would make the folder for anyone.
    container["args"].push_back(path::kTaskFolder);
    container["volumeMounts"].push_back(
        {{"name", kOwnVolumePrefix + "files"}, {"mountPath", path::kFiles}});
  }
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

void AddCommandContainer(json& pod_spec, const WeightedJob& job, const std::string& our_image,
                         const ResourceRequirements& resources, CommandRole role) {
  const bool has_files = role == CommandRole::kTasks && job.has_files;
  RunAsUserOfImage(job, pod_spec["securityContext"]);
  pod_spec["initContainers"] = json::array({LauncherInstaller(job, our_image, has_files)});
  pod_spec["containers"].push_back(CommandContainer(job, resources));
  Append(pod_spec["volumes"], job.worker.volumes);
  AddVolume(pod_spec, kProgramVolume, Folder("64Mi"), path::kLauncherProgram, true);
  AddVolume(pod_spec, kSocketVolume, Folder("1Mi"), path::kLauncherRun, false);
  if (has_files) {
    AddTaskFiles(pod_spec, job, FileAccess::kTaskDirectories);
  } else {
    AddInputs(pod_spec, job);
  }
  AddTemporary(pod_spec, "command-tmp", kTaskTemporaryLimit);
}

void AddLauncherSocket(json& pod_spec) {
  AddMount(pod_spec, kSocketVolume, path::kLauncherRun, false);
}

std::string LauncherSocket() { return path::kLauncherRun + "/launcher.sock"; }

void RunAsOwnUser(json& container) {
  container["securityContext"]["runAsUser"] = kOwnUser;
  container["securityContext"]["runAsGroup"] = kOwnUser;
}

}  // namespace evenkeel::cluster
