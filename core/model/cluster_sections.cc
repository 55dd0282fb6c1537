#include "core/model/cluster_sections.h"

#include <optional>
#include <string>

#include "core/model/manifest.h"
#include "core/model/names.h"
#include "core/model/pod_template_parsing.h"
#include "core/model/quantity.h"

namespace evenkeel::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxEntries = 64;
constexpr std::size_t kMaxImageBytes = 1024;

bool IsUsualResource(const std::string& name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage";
}

void CheckQuantity(FieldReader& quantities, const std::string& resource, const json& value) {
  const std::string text = QuantityText(value);
  const auto thousandths = ParseQuantity(text, 1000);
  if (!IsUsualResource(resource) && !IsExtendedResource(resource)) {
    quantities.Fail(ShownKey(resource),
                    "is no resource, must be cpu, memory, ephemeral-storage, an extended resource "
                    "such as nvidia.com/gpu, or huge pages such as hugepages-2Mi");
  } else if (!thousandths) {
    quantities.Fail(resource, "must be " + kAllowedQuantity + ", is " + Shown(value));
  } else if (!IsUsualResource(resource) && *thousandths % 1000 != 0) {
    quantities.Fail(resource, "must be a whole number, is " + Shown(value));
  }
}

/// requests or limits.
void CheckQuantities(FieldReader& resources, const std::string& field) {
  constexpr std::size_t kMaxResources = 16;
  const json& all = resources.Any(field);
  if (all.is_null()) return;
  if (!all.is_object() || all.size() > kMaxResources) {
    resources.Fail(field, "must be an object of at most " + std::to_string(kMaxResources) +
                              (all.is_object() ? ", has " + std::to_string(all.size())
                                               : ", is " + Shown(all)));
    return;
  }
  FieldReader quantities = resources.OptionalObject(field);
  quantities.AllowUnknownFields();
  for (const auto& [resource, value] : all.items()) {
    if (!value.is_null()) CheckQuantity(quantities, resource, value);
  }
}

/// Extended resources cannot be shared: who requests one gets it alone, so that the limit is the
/// request.
void CheckExtendedResources(FieldReader& resources) {
  const json& requests = resources.Any("requests");
  const json& limits = resources.Any("limits");
  if (!requests.is_object()) return;
  for (const auto& [resource, value] : requests.items()) {
    if (value.is_null() || !IsExtendedResource(resource)) continue;
    const bool is_limited = limits.is_object() && limits.contains(resource);
    const auto limit = is_limited ? ParseQuantity(QuantityText(limits[resource]), 1) : std::nullopt;
    if (limit && limit == ParseQuantity(QuantityText(value), 1)) continue;
    resources.Fail("requests." + resource,
                   "must be equal to limits." + resource +
                       (is_limited ? ", is " + Shown(value) : ", which is missing"));
  }
}

/// The least need of a task of this resource, times 1000.
std::int64_t LeastNeedThousandths(const std::string& resource) {
  if (resource == "cpu") return 1;
  return resource == "memory" ? (std::int64_t{1} << 20) * 1000 : 1000;
}

TaskResources ReadTaskResources(FieldReader& worker) {
  const std::string field = "taskResources";
  TaskResources need;
  CheckQuantities(worker, field);
  const json& all = worker.Any(field);
  if (!all.is_object()) return need;
  FieldReader quantities = worker.OptionalObject(field);
  quantities.AllowUnknownFields();
  for (const auto& [resource, value] : all.items()) {
    if (value.is_null()) continue;
    const std::string text = QuantityText(value);
    if (resource == "ephemeral-storage") {
      quantities.Fail(resource,
                      "is no resource of a task, must be cpu, memory, an extended resource such as "
                      "nvidia.com/gpu, or huge pages such as hugepages-2Mi");
    } else if (ParseQuantity(text, 1000).value_or(0) < LeastNeedThousandths(resource)) {
      quantities.Fail(ShownKey(resource), "must be at least " +
                                              std::string(resource == "cpu"      ? "1m"
                                                          : resource == "memory" ? "1Mi"
                                                                                 : "1") +
                                              ", is " + Shown(value));
    } else if (resource == "cpu") {
      need.cpu_millicores = ParseQuantity(text, 1000);
    } else if (resource == "memory") {
      need.memory_bytes = ParseQuantity(text, 1);
    } else {
      need.extended[resource] = ParseQuantity(text, 1).value_or(1);
    }
  }
  if (all.empty()) worker.Fail(field, "must have at least one resource, is {}");
  return need;
}

/// The needs of tasks decide the request of a worker, so that a resource is named in one place.
void CheckNamedOnce(FieldReader& worker, FieldReader& resources) {
  const json& need = worker.Any("taskResources");
  if (!need.is_object()) return;
  for (const char* field : {"requests", "limits"}) {
    const json& quantities = resources.Any(field);
    if (!quantities.is_object()) continue;
    for (const auto& [resource, value] : need.items()) {
      const bool is_in_both = quantities.contains(resource) && !quantities[resource].is_null();
      if (value.is_null() || !is_in_both) continue;
      worker.Fail("taskResources." + ShownKey(resource),
                  "must not stand beside resources." + std::string(field) + "." +
                      ShownKey(resource) + ": a worker requests what its tasks need together");
    }
  }
}

void ReadFileStorage(FieldReader& worker, JobSpec& job) {
  const std::string field = "fileStorageLimit";
  constexpr std::int64_t kLeastBytes = std::int64_t{1} << 20;
  const json& value = worker.Any(field);
  if (!worker.Has(field)) return;
  const std::string text = QuantityText(value);
  const auto bytes = ParseQuantity(text, 1);
  const bool fits_thousandths = ParseQuantity(text, 1000).has_value();  // as all quantities must
  if (!bytes || *bytes < kLeastBytes || !fits_thousandths) {
    worker.Fail(field, "must be a quantity from 1Mi to 9,200,000,000,000,000, such as 10Gi, is " +
                           Shown(value));
  } else {
    job.file_storage_bytes = *bytes;
  }
}

void ReadFileCacheClaim(FieldReader& worker, JobSpec& job) {
  const std::string field = "fileCacheClaim";
  if (worker.Any(field).is_null()) return;
  const std::string name = worker.RequiredString(field, kMaxDnsSubdomain);
  const std::string sample = NameForNode(name, "n");
  if (sample.find_first_of("{}") != std::string::npos) {
    worker.Fail(field, "must have no placeholder but {node}, is " + Shown(name));
  } else if (!IsDnsSubdomain(sample)) {
    worker.Fail(field, "must be " + kAllowedDnsSubdomain +
                           ", where {node} stands for the name of the node, is " + Shown(name));
  }
  job.file_cache_claim = name;
}

void ReadWorker(FieldReader worker, JobSpec& job) {
  worker.Any("image");  // its name is the container runtime's to judge
  if (worker.Has("image")) worker.RequiredString("image", kMaxImageBytes);
  FieldReader resources = worker.OptionalObject("resources");
  CheckQuantities(resources, "requests");
  CheckQuantities(resources, "limits");
  CheckExtendedResources(resources);
  job.task_resources = ReadTaskResources(worker);
  CheckNamedOnce(worker, resources);
  ReadFileStorage(worker, job);
  ReadFileCacheClaim(worker, job);
  ReadPodTemplate(worker.OptionalObject("template"), job);
}

}  // namespace

void ReadClusterSections(FieldReader& spec, JobSpec& job) {
  ReadWorker(spec.OptionalObject("worker"), job);

  FieldReader inputs = spec.OptionalObject("inputs");
  CheckObjectName(inputs, "persistentVolumeClaim");
  CheckObjectName(inputs, "configMap");
  if (inputs.Has("persistentVolumeClaim") && inputs.Has("configMap")) {
    inputs.Fail("configMap", "must not stand beside persistentVolumeClaim");
  }
  FieldReader storage = spec.OptionalObject("resultStorage");
  CheckObjectName(storage, "persistentVolumeClaim");

  constexpr std::int64_t kMaxSeconds = 1'000'000'000;
  spec.OptionalInt("ttlSecondsAfterFinished", {0, kMaxSeconds}, 0);
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
