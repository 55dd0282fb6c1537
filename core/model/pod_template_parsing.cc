#include "core/model/pod_template_parsing.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/model/manifest.h"
#include "core/model/names.h"
#include "core/model/quantity.h"

namespace evenkeel::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxListItems = 64;
constexpr std::size_t kMaxMarks = 32;  // labels or annotations
constexpr std::size_t kMaxRequirements = 32;
constexpr std::size_t kMaxAnnotationBytes = 4'096;

/// Fields of a pod or container that people look for here, and what there is instead.
constexpr std::pair<const char*, const char*> kOtherFields[] = {
    {"activeDeadlineSeconds", "spec.taskPolicy.timeoutSeconds limits a task"},
    {"args", "use spec.workload.command.command"},
    {"automountServiceAccountToken", "pods of a job have no token of a service account"},
    {"command", "use spec.workload.command.command"},
    {"containers",
     "use spec.workload.command, spec.worker.resources and the fields of the template"},
    {"envFrom", "list each variable in env, with valueFrom"},
    {"hostIPC", "the restricted pod security level forbids it"},
    {"hostNetwork", "the restricted pod security level forbids it"},
    {"hostPID", "the restricted pod security level forbids it"},
    {"image", "use spec.workload.command.image or spec.worker.image"},
    {"initContainers",
     "nothing runs before or beside the command; prepare its input in the command"},
    {"metadata", "labels and annotations stand in the template itself"},
    {"nodeName", "spec.nodes decides on which nodes workers run"},
    {"nodeSelector", "use spec.nodes.selector"},
    {"resources", "use spec.worker.resources"},
    {"restartPolicy", "spec.taskPolicy decides what happens after a failure"},
    {"serviceAccountName", "pods of a job have no token of a service account"},
    {"spec", "its fields stand in the template itself"},
    {"tolerations", "use spec.nodes.tolerations"},
    {"topologySpreadConstraints", "each node has at most one worker"},
};

const std::vector<std::string>& TemplateFields() {
  static const std::vector<std::string> kFields{"affinity",          "annotations",      "env",
                                                "imagePullPolicy",   "imagePullSecrets", "labels",
                                                "priorityClassName", "securityContext",  "volumes",
                                                "volumeMounts"};
  return kFields;
}

/// A part of what the restricted pod security admits (kubernetes.io/docs, pod security standards).
const std::vector<std::string>& VolumeKinds() {
  static const std::vector<std::string> kKinds{"configMap", "secret", "emptyDir",
                                               "persistentVolumeClaim", "ephemeral"};
  return kKinds;
}

bool Contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void RefuseOtherFields(FieldReader& pod_template) {
  for (const auto& [field, why] : kOtherFields) {
    if (!pod_template.Has(field)) continue;
    pod_template.Fail(
        field, std::string("is not allowed: ") + why + "; allowed are " + Joined(TemplateFields()));
  }
}

/// Reads labels or annotations.
std::map<std::string, std::string> ReadMarks(FieldReader& pod_template, const std::string& field,
                                             std::size_t max_value_bytes) {
  const auto marks = pod_template.StringMap(field, kMaxMarks, max_value_bytes);
  for (const auto& [key, value] : marks) {
    const std::string place = field + "." + ShownKey(key);
    if (!IsQualifiedName(key)) {
      pod_template.Fail(place, "the key must be " + kAllowedQualifiedName);
    } else if (IsReservedKey(key)) {
      pod_template.Fail(place,
                        "the key must not be of evenkeel.dev, k8s.io, kubernetes.io, prometheus.io "
                        "or a domain below them, which the operator and Kubernetes use");
    }
  }
  return marks;
}

void CheckLabels(FieldReader& pod_template) {
  constexpr std::size_t kMaxLabelBytes = 63;
  const auto labels = ReadMarks(pod_template, "labels", kMaxLabelBytes);
  for (const auto& [key, value] : labels) {
    if (value.empty() || IsLabelValue(value)) continue;
    pod_template.Fail("labels." + ShownKey(key),
                      "must be empty or " + kAllowedLabelValue + ", is " + Shown(value));
  }
}

std::vector<NodeRequirement> ReadExpressions(FieldReader& term) {
  constexpr std::size_t kMaxKeyBytes = 317;
  constexpr std::size_t kMaxValueBytes = 63;
  std::vector<std::string> operators;
  for (const auto op : AllNodeOperators()) operators.push_back(ToString(op));
  std::vector<NodeRequirement> requirements;
  for (FieldReader& item : term.Objects("matchExpressions", kMaxRequirements)) {
    NodeRequirement& requirement = requirements.emplace_back();
    requirement.key = item.RequiredString("key", kMaxKeyBytes);
    const std::string op = item.RequiredChoice("operator", operators);
    requirement.op = AllNodeOperators()[static_cast<std::size_t>(
        std::find(operators.begin(), operators.end(), op) - operators.begin())];
    requirement.values = item.Strings("values", kMaxListItems, kMaxValueBytes);
    const std::vector<std::string>& values = requirement.values;
    if (!IsQualifiedName(requirement.key)) {
      item.Fail("key", "must be " + kAllowedQualifiedName + ", is " + Shown(requirement.key));
    } else if ((op == "In" || op == "NotIn") && values.empty()) {
      item.Fail("values", "must have at least one value with operator " + op);
    } else if ((op == "Exists" || op == "DoesNotExist") && !values.empty()) {
      item.Fail("values", "must be left out with operator " + op);
    } else if ((op == "Gt" || op == "Lt") && (values.size() != 1 || !IsWholeNumber(values[0]))) {
      item.Fail("values", "must be one whole number, as text, with operator " + op);
    }
  }
  return requirements;
}

std::vector<NodeRequirement> ReadFields(FieldReader& term) {
  std::vector<NodeRequirement> requirements;
  for (FieldReader& item : term.Objects("matchFields", kMaxRequirements)) {
    NodeRequirement& requirement = requirements.emplace_back();
    requirement.key = item.RequiredChoice("key", {"metadata.name"});
    requirement.op = item.RequiredChoice("operator", {"In", "NotIn"}) == "In"
                         ? NodeRequirement::Operator::kIn
                         : NodeRequirement::Operator::kNotIn;
    requirement.values = item.Strings("values", 1, 253);
    if (requirement.values.empty()) item.Fail("values", "must have one value");
  }
  return requirements;
}

NodeAffinity ReadAffinity(FieldReader affinity) {
  constexpr std::size_t kMaxTerms = 16;
  FieldReader of_nodes = affinity.OptionalObject("nodeAffinity");
  FieldReader required = of_nodes.OptionalObject("requiredDuringSchedulingIgnoredDuringExecution");
  NodeAffinity read;
  for (FieldReader& term : required.Objects("nodeSelectorTerms", kMaxTerms)) {
    NodeSelectorTerm& one = read.terms.emplace_back();
    one.expressions = ReadExpressions(term);
    one.fields = ReadFields(term);
    if (one.expressions.empty() && one.fields.empty()) {
      required.Fail("nodeSelectorTerms[" + std::to_string(read.terms.size() - 1) + "]",
                    "must have matchExpressions or matchFields");
    }
  }
  if (read.terms.empty() && of_nodes.Has("requiredDuringSchedulingIgnoredDuringExecution")) {
    required.Fail("nodeSelectorTerms", "must have at least one term");
  }
  if (!of_nodes.Any("preferredDuringSchedulingIgnoredDuringExecution").is_null()) {
    of_nodes.Fail("preferredDuringSchedulingIgnoredDuringExecution",
                  "is not supported: weights of nodes decide which are preferred, see "
                  "spec.weighting; use requiredDuringSchedulingIgnoredDuringExecution");
  }
  for (const char* field : {"podAffinity", "podAntiAffinity"}) {
    if (affinity.Any(field).is_null()) continue;
    affinity.Fail(field,
                  "is not supported: a job has at most one worker on each node, which does not "
                  "depend on other pods; use nodeAffinity");
  }
  return read;
}

std::vector<EnvironmentVariable> ReadEnvironment(FieldReader& pod_template) {
  constexpr std::size_t kMaxValueBytes = 32'768;
  std::vector<EnvironmentVariable> environment;
  for (FieldReader& item : pod_template.Objects("env", kMaxListItems)) {
    EnvironmentVariable& variable = environment.emplace_back();
    variable.name = item.RequiredString("name", 253);
    variable.value = item.OptionalString("value", kMaxValueBytes, "");
    variable.from_cluster = !item.Any("valueFrom").is_null();
    if (variable.name.find('=') != std::string::npos) {
      item.Fail("name", "must be without '=', is " + Shown(variable.name));
    }
    item.AllowUnknownFields();  // the API server knows the rest
  }
  return environment;
}

void CheckNamedObjects(FieldReader& object, const std::string& field) {
  for (FieldReader& item : object.Objects(field, kMaxListItems)) {
    item.RequiredString("name", 253);
    item.AllowUnknownFields();  // the API server knows the rest
  }
}

/// The claim of a generic ephemeral volume.
void CheckClaimTemplate(FieldReader ephemeral) {
  FieldReader claim = ephemeral.RequiredObject("volumeClaimTemplate").RequiredObject("spec");
  const std::vector<std::string> modes = claim.Choices(
      "accessModes", 4, {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"});
  if (modes.empty()) claim.Fail("accessModes", "must have at least one access mode");
  FieldReader requests = claim.RequiredObject("resources").RequiredObject("requests");
  const json& storage = requests.Any("storage");
  if (ParseQuantity(QuantityText(storage), 1).value_or(0) == 0) {
    requests.Fail("storage", "must be " + kAllowedQuantity + ", above 0, is " + Shown(storage));
  }
  CheckObjectName(claim, "storageClassName");
  claim.OptionalChoice("volumeMode", {"Filesystem"}, "Filesystem");
}

void CheckVolumes(FieldReader& pod_template) {
  for (FieldReader& item : pod_template.Objects("volumes", kMaxListItems)) {
    item.RequiredString("name", 253);
    item.AllowUnknownFields();  // the API server knows the rest
    if (item.Has("ephemeral")) CheckClaimTemplate(item.RequiredObject("ephemeral"));
  }
  const json& volumes = pod_template.Any("volumes");
  if (!volumes.is_array()) return;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (!volumes[i].is_object()) continue;
    const std::string path = "volumes[" + std::to_string(i) + "]";
    std::size_t sources = 0;
    for (const auto& [kind, source] : volumes[i].items()) {
      if (kind == "name" || source.is_null()) continue;
      ++sources;
      if (Contains(VolumeKinds(), kind)) continue;
      pod_template.Fail(path + "." + ShownKey(kind),
                        "is not allowed, allowed are " + Joined(VolumeKinds()));
    }
    if (sources != 1) {
      pod_template.Fail(path, "must have exactly one of " + Joined(VolumeKinds()));
    }
  }
}

void CheckSecurity(FieldReader& pod_template) {
  FieldReader security = pod_template.OptionalObject("securityContext");
  security.AllowUnknownFields();
  const json& context = pod_template.Any("securityContext");
  if (!context.is_object()) return;
  for (const auto& [field, value] : context.items()) {
    if (value.is_null() || Contains(SecurityFields(), field)) continue;
    security.Fail(ShownKey(field), "is not allowed by the restricted pod security, allowed are " +
                                       Joined(SecurityFields()));
  }
}

}  // namespace

bool IsReservedKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = key.substr(0, slash);
  constexpr std::array<std::string_view, 4> kReserved{"evenkeel.dev", "k8s.io", "kubernetes.io",
                                                      "prometheus.io"};
  return std::any_of(kReserved.begin(), kReserved.end(), [domain](std::string_view reserved) {
    return domain == reserved ||
           (domain.ends_with(reserved) && domain[domain.size() - reserved.size() - 1] == '.');
  });
}

const std::vector<std::string>& SecurityFields() {
  static const std::vector<std::string> kFields{"runAsUser", "runAsGroup", "fsGroup",
                                                "fsGroupChangePolicy", "supplementalGroups"};
  return kFields;
}

void ReadPodTemplate(FieldReader pod_template, JobSpec& job) {
  RefuseOtherFields(pod_template);
  CheckLabels(pod_template);
  static_cast<void>(ReadMarks(pod_template, "annotations", kMaxAnnotationBytes));
  job.node_affinity = ReadAffinity(pod_template.OptionalObject("affinity"));
  job.environment = ReadEnvironment(pod_template);
  CheckVolumes(pod_template);
  CheckNamedObjects(pod_template, "volumeMounts");
  CheckNamedObjects(pod_template, "imagePullSecrets");
  pod_template.OptionalChoice("imagePullPolicy", {"Always", "IfNotPresent", "Never"},
                              "IfNotPresent");
  CheckObjectName(pod_template, "priorityClassName");
  CheckSecurity(pod_template);
}

}  // namespace evenkeel::model
