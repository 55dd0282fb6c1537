#include "cli/kubectl/pod_conversion.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/kubectl/volume_conversion.h"
#include "cluster/json_fields.h"
#include "core/model/field_reader.h"
#include "core/model/job_spec.h"
#include "core/model/names.h"
#include "core/model/pod_template_parsing.h"
#include "core/model/quantity.h"

namespace evenkeel::cli {
namespace {

using model::FieldReader;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::int64_t kMaxListedArguments = 10'000;
constexpr std::int64_t kMaxTimeoutSeconds = 31'536'000;  // a year

const std::string kPlaceholder = "{}";

constexpr const char* kForbidden = "the restricted pod security level forbids it";
constexpr const char* kNoHostName =
    "tasks are processes in the pod of a worker and have no host name of their own";
constexpr const char* kNoProbes = "a task is no service: only its exit code counts";
constexpr const char* kNoHooks = "nothing runs before or after a task in its container";
constexpr const char* kNoInput = "the standard input of a task is empty";
constexpr const char* kNoToken =
    "pods of a WeightedJob have the service account default and no token, so that tasks cannot use "
    "the API server";
constexpr const char* kPriority = "it is that of the priority class";
constexpr const char* kOneWorker = "a WeightedJob has at most one worker on each node";
constexpr const char* kMessages = "the output of each task is in results.jsonl";

const FieldRules& PodRules() {
  static const FieldRules kRules{
      {"activeDeadlineSeconds"},
      {"affinity"},
      {"automountServiceAccountToken", kNoToken, {false}},
      {"containers"},
      {"dnsConfig", "pods of a WeightedJob resolve names as the cluster does"},
      {"dnsPolicy", "pods of a WeightedJob resolve names as the cluster does", {"ClusterFirst"}},
      {"enableServiceLinks",
       "pods of a WeightedJob have no environment variables for services",
       {false}},
      {"hostAliases", "/etc/hosts is that of every pod"},
      {"hostIPC", kForbidden, {false}},
      {"hostNetwork", kForbidden, {false}},
      {"hostPID", kForbidden, {false}},
      {"hostUsers", "pods of a WeightedJob have no user namespace", {true}},
      {"hostname", kNoHostName},
      {"hostnameOverride", kNoHostName},
      {"imagePullSecrets"},
      {"initContainers"},
      {"nodeName", "set kubernetes.io/hostname in spec.nodes.selector.matchLabels"},
      {"nodeSelector"},
      {"os", "workers run on Linux only", {json{{"name", "linux"}}}},
      {"overhead", "it follows from the runtime class"},
      {"preemptionPolicy", kPriority, {"PreemptLowerPriority"}},
      {"priority"},  // the API server has set it, by the priority class
      {"priorityClassName"},
      {"readinessGates", kNoProbes},
      {"resourceClaims", "devices can be requested as extended resources only"},
      {"resources", "resources are those of the container"},
      {"restartPolicy"},
      {"runtimeClassName", "pods of a WeightedJob use the default runtime of their node"},
      {"schedulerName",
       "workers are bound to their nodes by the default scheduler",
       {"default-scheduler"}},
      {"schedulingGates", "use spec.suspend"},
      {"securityContext"},
      {"serviceAccount", kNoToken, {"", "default"}},
      {"serviceAccountName", kNoToken, {"", "default"}},
      {"setHostnameAsFQDN", kNoHostName, {false}},
      {"shareProcessNamespace", "containers of a WeightedJob do not see each other", {false}},
      {"subdomain", kNoHostName},
      {"terminationGracePeriodSeconds",
       "a task that is stopped gets SIGTERM, and SIGKILL one second later",
       {30}},
      {"tolerations"},
      {"topologySpreadConstraints", kOneWorker},
      {"volumes"},
  };
  return kRules;
}

const FieldRules& ContainerRules() {
  static const FieldRules kRules{
      {"args"},
      {"command"},
      {"env"},
      {"envFrom"},
      {"image"},
      {"imagePullPolicy"},
      {"lifecycle", kNoHooks},
      {"livenessProbe", kNoProbes},
      {"name"},  // the container of a command has a fixed name
      {"ports", "network policies close all ports of a worker's pod to others"},
      {"readinessProbe", kNoProbes},
      {"resizePolicy", "resources of a worker change only while the job is suspended"},
      {"resources"},
      {"restartPolicy", "taskPolicy.onExitCodes decides what happens after a failure"},
      {"restartPolicyRules", "taskPolicy.onExitCodes decides what happens after a failure"},
      {"securityContext"},
      {"startupProbe", kNoProbes},
      {"stdin", kNoInput, {false}},
      {"stdinOnce", kNoInput, {false}},
      {"terminationMessagePath", kMessages, {"/dev/termination-log"}},
      {"terminationMessagePolicy", kMessages, {"File", "FallbackToLogsOnError"}},
      {"tty", kNoInput, {false}},
      {"volumeDevices", kFileSystems},
      {"volumeMounts"},
      {"workingDir"},
  };
  return kRules;
}

/// The rules for the security contexts of pods and of containers.
const FieldRules& SecurityRules() {
  static const FieldRules kRules{
      {"allowPrivilegeEscalation", kForbidden, {false}},
      {"appArmorProfile", "it is that of the runtime", {json{{"type", "RuntimeDefault"}}}},
      {"capabilities", "all capabilities are dropped", {json{{"drop", json::array({"ALL"})}}}},
      {"fsGroup"},
      {"fsGroupChangePolicy"},
      {"privileged", kForbidden, {false}},
      {"procMount", kForbidden, {"Default"}},
      {"readOnlyRootFilesystem", "a command may write to the files of its container", {false}},
      {"runAsGroup"},
      {"runAsNonRoot", "no task runs as root", {true}},
      {"runAsUser"},
      {"seLinuxChangePolicy", "it is that of the runtime"},
      {"seLinuxOptions", "they are those of the runtime"},
      {"seccompProfile", "it is RuntimeDefault", {json{{"type", "RuntimeDefault"}}}},
      {"supplementalGroups"},
      {"supplementalGroupsPolicy", "it is Merge", {"Merge"}},
      {"sysctls", "pods of a WeightedJob do not change the kernel's parameters", {json::array()}},
      {"windowsOptions", "workers run on Linux only"},
  };
  return kRules;
}

const FieldRules& TolerationRules() {
  static const FieldRules kRules{
      {"key"}, {"operator"}, {"value"}, {"effect"}, {"tolerationSeconds"}};
  return kRules;
}

const FieldRules& KeyReferenceRules() {
  static const FieldRules kRules{{"name"}, {"key"}, {"optional"}};
  return kRules;
}

bool IsIndexPath(const std::string& field_path) {
  return field_path == "metadata.annotations['batch.kubernetes.io/job-completion-index']" ||
         field_path == "metadata.labels['batch.kubernetes.io/job-completion-index']";
}

/// Images whose tag may move are pulled for every pod, unless the template says otherwise.
bool HasTagLatest(const std::string& image) {
  const std::string name = image.substr(image.rfind('/') + 1);
  if (name.find('@') != std::string::npos) return false;
  const auto colon = name.find(':');
  return colon == std::string::npos || name.substr(colon + 1) == "latest";
}

/// Quantities that YAML takes for fractions, such as 0.5: the API server accepts them as text only.
void PutFractionsInQuotes(ordered_json& quantities) {
  for (auto& [resource, quantity] : quantities.items()) {
    if (quantity.is_number_float()) quantity = quantity.dump();
  }
}

void PutUnlessEmpty(ordered_json& object, const char* field, ordered_json value) {
  if (!value.empty()) object[field] = std::move(value);
}

/// Converts one template. The members are filled in the order of the functions in Convert().
class PodConverter {
 public:
  PodConverter(const json& pod_template, std::int64_t tasks, ConversionRemarks& remarks)
      : metadata_(cluster::Child(pod_template, "metadata")),
        template_(pod_template, "spec.template"),
        pod_(template_.RequiredObject("spec")),
        tasks_(tasks),
        remarks_(remarks) {
    template_.AllowUnknownFields();
    pod_.AllowUnknownFields();
    remarks_.AddUnconvertedFields(cluster::Child(pod_template, "spec"), "spec.template.spec",
                                  PodRules());
  }

  Result<ConvertedPod> Convert() {
    ConvertMetadata();
    ConvertContainers();
    ConvertInitContainers();
    ConvertPlacement();
    ConvertSettings();
    if (const auto read = pod_.Finish(); !read) return tl::unexpected(read.error());
    PutUnlessEmpty(converted_.worker, "template", std::move(worker_template_));
    return std::move(converted_);
  }

 private:
  void ConvertMetadata() {
    for (const char* field : {"labels", "annotations"}) {
      ordered_json marks = WithoutMarksOfJobs(cluster::Child(metadata_, field));
      ordered_json kept = ordered_json::object();
      for (const auto& [key, value] : marks.items()) {
        if (!model::IsReservedKey(key)) {
          kept[key] = value;
          continue;
        }
        remarks_.AddUnconverted(
            "spec.template.metadata." + std::string(field) + "." + model::ShownKey(key),
            "keys of this domain are the operator's and Kubernetes' own");
      }
      PutUnlessEmpty(worker_template_, field, std::move(kept));
    }
  }

  void ConvertContainers() {
    std::vector<FieldReader> containers = pod_.Objects("containers", kMaxListItems);
    if (containers.size() != 1) {
      pod_.Fail("containers", "must be one container, which becomes the command, but there are " +
                                  std::to_string(containers.size()));
      return;
    }
    FieldReader& container = containers.front();
    container.AllowUnknownFields();
    const json& object = pod_.Any("containers").front();
    remarks_.AddUnconvertedFields(object, kContainerPath, ContainerRules());
    ConvertEnvironment(container);
    ConvertCommand(container);
    ConvertResources(container.Any("resources"));
    ConvertedVolumes converted =
        ConvertVolumes(ObjectsIn(pod_, "volumes"), ObjectsIn(container, "volumeMounts"), remarks_);
    PutUnlessEmpty(worker_template_, "volumes", std::move(converted.volumes));
    PutUnlessEmpty(worker_template_, "volumeMounts", std::move(converted.mounts));
    ConvertSecurity(container.Any("securityContext"));
  }

  void ConvertEnvironment(FieldReader& container) {
    ordered_json environment = ordered_json::array();
    const json& items = ObjectsIn(container, "env");
    for (std::size_t i = 0; i < items.size(); ++i) {
      ConvertVariable(items[i], ItemPath(kContainerPath + ".env", i), environment);
    }
    PutUnlessEmpty(worker_template_, "env", std::move(environment));
    const std::size_t sources = ObjectsIn(container, "envFrom").size();
    for (std::size_t i = 0; i < sources; ++i) {
      remarks_.AddUnconverted(ItemPath(kContainerPath + ".envFrom", i),
                              "list each variable in spec.worker.template.env, with valueFrom");
    }
  }

  void ConvertVariable(const json& item, const std::string& path, ordered_json& environment) {
    static const FieldRules kRules{{"name"}, {"value"}, {"valueFrom"}};
    ordered_json variable = remarks_.KeepConverted(item, path, kRules);
    const std::string name = cluster::Text(item, "name");
    if (!variable.contains("valueFrom")) {
      literals_[name] = model::ExpandReferences(cluster::Text(item, "value"), literals_);
      environment.push_back(std::move(variable));
      return;
    }
    ordered_json source = ConvertSource(name, item["valueFrom"], path + ".valueFrom");
    if (source.empty()) return;
    variable["valueFrom"] = std::move(source);
    from_cluster_.insert(name);
    environment.push_back(std::move(variable));
  }

  /// Empty if the variable cannot be converted, or need not be.
  ordered_json ConvertSource(const std::string& name, const json& source, const std::string& path) {
    for (const char* kind : {"configMapKeyRef", "secretKeyRef"}) {
      const json& reference = cluster::Child(source, kind);
      if (reference.is_null()) continue;
      return {{kind, remarks_.KeepConverted(reference, path + "." + kind, KeyReferenceRules())}};
    }
    static const std::set<std::string> kPodFields{"metadata.name", "metadata.namespace",
                                                  "metadata.uid",  "spec.nodeName",
                                                  "status.podIP",  "status.hostIP"};
    const std::string pod_field = cluster::Text(cluster::Child(source, "fieldRef"), "fieldPath");
    if (kPodFields.contains(pod_field)) return {{"fieldRef", {{"fieldPath", pod_field}}}};
    if (IsIndexPath(pod_field)) {
      if (name == kIndexVariable) return {};
      remarks_.AddUnconverted(path, "the index of a task is in " + kIndexVariable +
                                        "; let the command read that instead of " + name);
    } else {
      remarks_.AddUnconverted(path,
                              "a variable comes from a key of a ConfigMap or Secret, or from the "
                              "field metadata.name, metadata.namespace, metadata.uid, "
                              "spec.nodeName, status.podIP or status.hostIP");
    }
    return {};
  }

  void ConvertCommand(FieldReader& container) {
    converted_.command = ordered_json::object();
    const std::string image = container.RequiredString("image", kMaxTextBytes);
    converted_.command["image"] = image;
    if (!container.Has("command") || container.Any("command").empty()) {
      container.Fail("command",
                     "is missing: a WeightedJob does not run the entry point of an image; write "
                     "the words of the entry point here (Entrypoint and Cmd in the output of "
                     "'docker image inspect IMAGE')");
    }
    std::vector<std::string> words = container.Strings("command", kMaxListItems, kMaxTextBytes);
    const std::vector<std::string> arguments =
        container.Strings("args", kMaxListItems, kMaxTextBytes);
    words.insert(words.end(), arguments.begin(), arguments.end());
    ConvertWords(std::move(words));
    const std::string folder = container.OptionalString("workingDir", kMaxTextBytes, "");
    if (!folder.empty()) converted_.command["workingDirectory"] = folder;
    const std::string policy = container.OptionalString("imagePullPolicy", kMaxTextBytes,
                                                        HasTagLatest(image) ? "Always" : "");
    if (!policy.empty()) worker_template_["imagePullPolicy"] = policy;
  }

  /// The kubelet replaces references to variables in the words of a container, but the words of a
  /// WeightedJob's command are used as they are.
  void ConvertWords(std::vector<std::string> words) {
    std::map<std::string, std::string> known = literals_;
    known.erase(kIndexVariable);  // the Job sets it, whatever the manifest says
    bool has_placeholder = false;
    bool has_index = false;
    for (const std::string& word : words) {
      has_placeholder =
          has_placeholder ||
          model::ExpandReferences(word, known).find(kPlaceholder) != std::string::npos;
      has_index = has_index || RefersTo(word, kIndexVariable);
      for (const std::string& name : from_cluster_) {
        if (!RefersTo(word, name)) continue;
        remarks_.AddUnconverted(kContainerPath + ".command",
                                "$(" + name +
                                    ") is not replaced by a value that comes from the "
                                    "cluster; let the command read the variable " +
                                    name);
      }
    }
    const bool as_arguments = has_index && !has_placeholder && tasks_ <= kMaxListedArguments;
    if (has_index && !as_arguments) {
      remarks_.AddUnconverted(
          kContainerPath + ".command",
          "$(" + kIndexVariable + ") is not replaced" +
              (has_placeholder
                   ? ", because the command has the word {}, which would stand for it"
                   : ", because " + std::to_string(tasks_) + " arguments are too many") +
              "; let the command read the variable " + kIndexVariable);
    }
    if (as_arguments) known[kIndexVariable] = kPlaceholder;
    for (std::string& word : words) word = model::ExpandReferences(word, known);
    converted_.command["command"] = std::move(words);
    if (!as_arguments) {
      converted_.command["tasks"] = tasks_;
      return;
    }
    ordered_json indexes = ordered_json::array();
    for (std::int64_t i = 0; i < tasks_; ++i) indexes.push_back(std::to_string(i));
    converted_.command["arguments"] = std::move(indexes);
  }

  static bool RefersTo(const std::string& word, const std::string& name) {
    return model::ExpandReferences(word, {{name, ""}}) != model::ExpandReferences(word, {});
  }

  /// A pod of a Job runs one task: what it requests is what one task needs.
  void ConvertResources(const json& resources) {
    static const FieldRules kRules{
        {"requests"},
        {"limits"},
        {"claims", "devices can be requested as extended resources only"}};
    const std::string path = kContainerPath + ".resources";
    ordered_json kept = remarks_.KeepConverted(resources, path, kRules);
    ordered_json lists = ordered_json::object();
    ordered_json need = ordered_json::object();
    for (const char* list : {"requests", "limits"}) {
      if (!kept.contains(list)) continue;
      lists[list] = ConvertQuantities(resources[list], path + "." + list);
      for (const auto& [resource, quantity] : lists[list].items()) {
        if (resource != "ephemeral-storage") need[resource] = nullptr;
      }
    }
    for (auto& [resource, quantity] : need.items()) {
      // A task may use idle CPU, and never more memory than its limit.
      const bool by_request = resource == "cpu";
      const char* const first = by_request ? "requests" : "limits";
      const char* const second = by_request ? "limits" : "requests";
      quantity = NonZero(lists, first, resource);
      const ordered_json other = NonZero(lists, second, resource);
      if (quantity.is_null()) {
        quantity = other;
      } else if (!other.is_null() && other != quantity) {
        remarks_.AddUnconverted(path + "." + second + "." + resource,
                                by_request ? "a task may use idle CPU of its node"
                                           : "a task has the memory of its limit to itself");
      }
    }
    for (auto it = need.begin(); it != need.end();) it = it->is_null() ? need.erase(it) : ++it;
    RemarkOnSmallCpu(need, path);
    ConvertStorage(lists, path);
    PutUnlessEmpty(converted_.worker, "taskResources", std::move(need));
  }

  void RemarkOnSmallCpu(const ordered_json& need, const std::string& path) {
    constexpr std::int64_t kCore = 1000;
    if (!need.contains("cpu")) return;
    const auto millicores = model::ParseQuantity(model::QuantityText(need["cpu"]), kCore);
    if (!millicores || *millicores <= 0 || 2 * *millicores > kCore) return;
    remarks_.Add(path,
                 "becomes worker.taskResources: with so little CPU, up to " +
                     std::to_string(kCore / *millicores) +
                     " tasks run at a time on each core; request a core if each computes all the "
                     "time");
  }

  /// Null if it is zero or not there.
  static ordered_json NonZero(const ordered_json& lists, const char* list,
                              const std::string& resource) {
    if (!lists.contains(list) || !lists[list].contains(resource)) return nullptr;
    const ordered_json& quantity = lists[list][resource];
    return model::ParseQuantity(model::QuantityText(quantity), 1000).value_or(1) == 0
               ? ordered_json(nullptr)
               : quantity;
  }

  void ConvertStorage(const ordered_json& lists, const std::string& path) {
    const std::string resource = "ephemeral-storage";
    ordered_json kept = ordered_json::object();
    for (const auto& [list, quantities] : lists.items()) {
      if (quantities.contains(resource)) kept[list][resource] = quantities[resource];
    }
    if (kept.empty()) return;
    remarks_.Add(path, "ephemeral-storage holds for all tasks that run on a node at the same time");
    converted_.worker["resources"] = std::move(kept);
  }

  ordered_json ConvertQuantities(const json& quantities, const std::string& path) {
    FieldRules rules{{"cpu"}, {"memory"}, {"ephemeral-storage"}};
    if (quantities.is_object()) {
      for (const auto& [resource, quantity] : quantities.items()) {
        if (model::IsExtendedResource(resource)) rules.push_back({resource.c_str()});
      }
    }
    ordered_json kept = remarks_.KeepConverted(quantities, path, rules);
    PutFractionsInQuotes(kept);
    return kept;
  }

  /// Settings of the container take precedence over those of the pod.
  void ConvertSecurity(const json& of_container) {
    const json& of_pod = pod_.Any("securityContext");
    const std::string pod_path = "spec.template.spec.securityContext";
    ordered_json kept = remarks_.KeepConverted(of_pod, pod_path, SecurityRules());
    DropRoot(kept, pod_path);
    ordered_json own =
        remarks_.KeepConverted(of_container, kContainerPath + ".securityContext", SecurityRules());
    DropRoot(own, kContainerPath + ".securityContext");
    kept.update(own);
    if (!kept.contains("runAsUser")) {
      remarks_.Add(pod_path + ".runAsUser",
                   "is not set: the image has to name a user by its number, and not root; if it "
                   "does not, set spec.worker.template.securityContext.runAsUser");
    }
    PutUnlessEmpty(worker_template_, "securityContext", std::move(kept));
  }

  void DropRoot(ordered_json& context, const std::string& path) {
    for (const char* field : {"runAsUser", "runAsGroup", "fsGroup"}) {
      if (!context.contains(field) || context[field] != 0) continue;
      remarks_.AddUnconverted(path + "." + field, "no task runs as root");
      context.erase(field);
    }
  }

  void ConvertInitContainers() {
    const json& containers = ObjectsIn(pod_, "initContainers");
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const bool is_sidecar = cluster::Text(containers[i], "restartPolicy") == "Always";
      remarks_.AddUnconverted(
          ItemPath("spec.template.spec.initContainers", i),
          is_sidecar ? "nothing runs beside the command of a task"
                     : "nothing runs before the command of a task. If it prepares the input of a "
                       "task, do that in the command, or list the inputs in "
                       "spec.workload.command.arguments: there is one task for each, and {} in the "
                       "command stands for it");
    }
  }

  void ConvertPlacement() {
    converted_.nodes = ordered_json::object();
    const auto labels = pod_.StringMap("nodeSelector", kMaxListItems, kMaxTextBytes);
    if (!labels.empty()) converted_.nodes["selector"] = {{"matchLabels", labels}};
    ordered_json tolerations = ordered_json::array();
    const json& items = ObjectsIn(pod_, "tolerations");
    for (std::size_t i = 0; i < items.size(); ++i) {
      tolerations.push_back(remarks_.KeepConverted(
          items[i], ItemPath("spec.template.spec.tolerations", i), TolerationRules()));
    }
    PutUnlessEmpty(converted_.nodes, "tolerations", std::move(tolerations));
    ConvertAffinity(pod_.Any("affinity"));
  }

  void ConvertAffinity(const json& affinity) {
    static const FieldRules kRules{
        {"nodeAffinity"}, {"podAffinity", kOneWorker}, {"podAntiAffinity", kOneWorker}};
    static const FieldRules kNodeRules{
        {"requiredDuringSchedulingIgnoredDuringExecution"},
        {"preferredDuringSchedulingIgnoredDuringExecution",
         "weights of nodes decide which are preferred, see spec.weighting"}};
    const std::string path = "spec.template.spec.affinity";
    remarks_.AddUnconvertedFields(affinity, path, kRules);
    ordered_json of_nodes = remarks_.KeepConverted(cluster::Child(affinity, "nodeAffinity"),
                                                   path + ".nodeAffinity", kNodeRules);
    if (of_nodes.empty()) return;
    worker_template_["affinity"] = {{"nodeAffinity", std::move(of_nodes)}};
  }

  void ConvertSettings() {
    ordered_json secrets = ordered_json::array();
    const json& items = ObjectsIn(pod_, "imagePullSecrets");
    for (const json& item : items) secrets.push_back({{"name", cluster::Text(item, "name")}});
    PutUnlessEmpty(worker_template_, "imagePullSecrets", std::move(secrets));
    const std::string priority = pod_.OptionalString("priorityClassName", kMaxTextBytes, "");
    if (!priority.empty()) worker_template_["priorityClassName"] = priority;
    const std::string restart =
        pod_.OptionalChoice("restartPolicy", {"Never", "OnFailure", "Always"}, "Never");
    if (restart == "OnFailure") {
      remarks_.AddUnconverted("spec.template.spec.restartPolicy",
                              "a task that has failed runs again on another node, if there is one");
    }
    if (pod_.Has("activeDeadlineSeconds")) {
      converted_.timeout_seconds =
          pod_.RequiredInt("activeDeadlineSeconds", {1, kMaxTimeoutSeconds});
    }
  }

  const json& metadata_;
  FieldReader template_;
  FieldReader pod_;
  const std::int64_t tasks_;
  ConversionRemarks& remarks_;
  std::map<std::string, std::string> literals_;  ///< variables with known values
  std::set<std::string> from_cluster_;           ///< variables with values of the cluster
  ordered_json worker_template_ = ordered_json::object();
  ConvertedPod converted_{ordered_json::object(), ordered_json::object(), ordered_json::object(),
                          std::nullopt};
};

}  // namespace

Result<ConvertedPod> ConvertPodTemplate(const json& pod_template, std::int64_t tasks,
                                        ConversionRemarks& remarks) {
  return PodConverter(pod_template, tasks, remarks).Convert();
}

ordered_json WithoutMarksOfJobs(const json& texts) {
  static const std::set<std::string> kOfJobs{"batch.kubernetes.io/controller-uid",
                                             "batch.kubernetes.io/job-name",
                                             "batch.kubernetes.io/job-completion-index",
                                             "batch.kubernetes.io/job-tracking",
                                             "controller-uid",
                                             "job-name",
                                             "kubectl.kubernetes.io/last-applied-configuration"};
  ordered_json own = ordered_json::object();
  if (!texts.is_object()) return own;
  for (const auto& [key, value] : texts.items()) {
    if (!kOfJobs.contains(key)) own[key] = value;
  }
  return own;
}

}  // namespace evenkeel::cli
