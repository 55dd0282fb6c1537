#include "core/model/cluster_sections.h"

#include <string>

#include "core/model/names.h"
#include "core/model/quantity.h"

namespace evenkeel::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxEntries = 64;
constexpr std::size_t kMaxImageBytes = 1024;

void CheckName(FieldReader& object, const std::string& field) {
  if (object.Any(field).is_null()) return;
  const std::string name = object.RequiredString(field, 253);
  if (!IsDnsSubdomain(name)) {
    object.Fail(field, "must be " + kAllowedDnsSubdomain + ", is " + Shown(name));
  }
}

/// requests or limits: quantities, which people also write as plain numbers.
void CheckQuantities(FieldReader& resources, const std::string& field) {
  FieldReader quantities = resources.OptionalObject(field);
  for (const char* resource : {"cpu", "memory", "ephemeral-storage"}) {
    const json& value = quantities.Any(resource);
    if (value.is_null()) continue;
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (value.is_structured() || !ParseQuantity(text, 1000)) {
      quantities.Fail(resource, "must be " + kAllowedQuantity + ", is " + Shown(value));
    }
  }
}

void CheckObjects(FieldReader& object, const std::string& field) {
  for (FieldReader& item : object.Objects(field, kMaxEntries)) {
    item.RequiredString("name", 253);
    item.AllowUnknownFields();  // the API server knows the rest
  }
}

std::vector<EnvironmentVariable> ReadEnvironment(FieldReader& pod_template) {
  constexpr std::size_t kMaxValueBytes = 32'768;
  std::vector<EnvironmentVariable> environment;
  for (FieldReader& item : pod_template.Objects("env", kMaxEntries)) {
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

std::vector<EnvironmentVariable> ReadWorker(FieldReader worker) {
  worker.Any("image");  // its name is the container runtime's to judge
  if (worker.Has("image")) worker.RequiredString("image", kMaxImageBytes);
  FieldReader resources = worker.OptionalObject("resources");
  CheckQuantities(resources, "requests");
  CheckQuantities(resources, "limits");

  FieldReader pod_template = worker.OptionalObject("template");
  std::vector<EnvironmentVariable> environment = ReadEnvironment(pod_template);
  CheckObjects(pod_template, "volumes");
  CheckObjects(pod_template, "volumeMounts");
  CheckObjects(pod_template, "imagePullSecrets");
  pod_template.OptionalChoice("imagePullPolicy", {"Always", "IfNotPresent", "Never"},
                              "IfNotPresent");
  CheckName(pod_template, "priorityClassName");
  pod_template.OptionalObject("securityContext").AllowUnknownFields();
  return environment;
}

}  // namespace

std::vector<EnvironmentVariable> ReadClusterSections(FieldReader& spec) {
  std::vector<EnvironmentVariable> environment = ReadWorker(spec.OptionalObject("worker"));

  FieldReader inputs = spec.OptionalObject("inputs");
  CheckName(inputs, "persistentVolumeClaim");
  CheckName(inputs, "configMap");
  if (inputs.Has("persistentVolumeClaim") && inputs.Has("configMap")) {
    inputs.Fail("configMap", "must not stand beside persistentVolumeClaim");
  }
  FieldReader storage = spec.OptionalObject("resultStorage");
  CheckName(storage, "persistentVolumeClaim");

  constexpr std::int64_t kMaxSeconds = 1'000'000'000;
  spec.OptionalInt("ttlSecondsAfterFinished", {0, kMaxSeconds}, 0);
  return environment;
}

void CheckTolerations(FieldReader& nodes) {
  for (FieldReader& toleration : nodes.Objects("tolerations", kMaxEntries)) {
    toleration.OptionalString("key", 317, "");
    toleration.OptionalChoice("operator", {"Exists", "Equal"}, "Equal");
    toleration.OptionalString("value", 63, "");
    toleration.OptionalChoice("effect", {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                              "NoSchedule");
    toleration.OptionalInt("tolerationSeconds", {0, INT64_MAX}, 0);
  }
}

}  // namespace evenkeel::model
