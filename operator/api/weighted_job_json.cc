#include "operator/api/weighted_job_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/model/job_parsing.h"
#include "core/model/manifest.h"
#include "operator/api/job_status_json.h"
#include "operator/api/lenient_json.h"
#include "operator/api/names.h"
#include "operator/api/object_meta_json.h"
#include "operator/api/worker_template_json.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

/// Fields of the spec that only the operator acts on. They may change in mid-run, and the time
/// before a suspension does not count for the deadline, which the coordinator could not know.
constexpr const char* kOperatorFields[] = {"suspend", "activeDeadlineSeconds",
                                           "ttlSecondsAfterFinished"};

json Manifest(const std::string& name, json spec) {
  return {{"apiVersion", model::kApiVersion},
          {"kind", kJobKind},
          {"metadata", {{"name", name}}},
          {"spec", std::move(spec)}};
}

/// The parser of the spec refuses more.
constexpr std::int64_t kMaxTtlSeconds = 1'000'000'000;

/// The coordinator reads the manifest from a ConfigMap, which has room for 1 MiB; the nodes are in
/// there, too.
constexpr std::size_t kMaxManifestBytes = 1'000'000;

std::string SizeTrouble(const std::string& manifest) {
  if (manifest.size() <= kMaxManifestBytes) return {};
  return "spec: takes " + std::to_string(manifest.size()) + " bytes, at most " +
         std::to_string(kMaxManifestBytes) +
         " can be handed to the coordinator; put long lists into a file in spec.inputs";
}

/// What the schema of the CRD says of names as well; without it, objects could not be named.
std::string NameTrouble(const std::string& name) {
  if (name.size() > kMaxJobName) {
    return "metadata.name: must be at most " + std::to_string(kMaxJobName) + " characters, has " +
           std::to_string(name.size());
  }
  const bool letter_first = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  return letter_first ? "" : "metadata.name: must begin with a lower-case letter";
}

/// No workload is known by its name here: whichever has an image wants its tasks to be run in it.
std::string TaskImage(const json& workload) {
  if (!workload.is_object() || workload.size() != 1) return {};
  return Text(*workload.begin(), "image");
}

void ReadSpec(const json& spec, WeightedJob& job) {
  auto read = model::ReadJob(Manifest(job.meta.name, spec));
  if (!read) {
    job.invalid = read.error().message;
    return;
  }
  job.spec = std::move(*read);
  job.invalid = NameTrouble(job.meta.name);

  const json& inputs = Child(spec, "inputs");
  job.inputs = {Text(inputs, "persistentVolumeClaim"), Text(inputs, "configMap")};
  auto pod_template =
      ReadWorkerTemplate(Child(Child(spec, "worker"), "template"), job.inputs.Any());
  if (pod_template) {
    job.worker = std::move(*pod_template);
  } else if (job.invalid.empty()) {
    job.invalid = pod_template.error().message;
  }
}

Toleration ReadToleration(const json& object) {
  Toleration toleration{Text(object, "key"), Text(object, "operator"), Text(object, "value"),
                        Text(object, "effect"), std::nullopt};
  if (Child(object, "tolerationSeconds").is_number_integer()) {
    toleration.seconds = Integer(object, "tolerationSeconds");
  }
  return toleration;
}

void ReadClusterSections(const json& spec, WeightedJob& job) {
  for (const json& one : Items(Child(spec, "nodes"), "tolerations")) {
    job.tolerations.push_back(ReadToleration(one));
  }
  job.worker_image = Text(Child(spec, "worker"), "image");
  const json& resources = Child(Child(spec, "worker"), "resources");
  job.resources =
      WithWorkerDefaults({Quantities(resources, "requests"), Quantities(resources, "limits")});
  job.workload = Compact(Child(spec, "workload"));
  job.task_image = TaskImage(Child(spec, "workload"));
  job.result_claim = Text(Child(spec, "resultStorage"), "persistentVolumeClaim");
  job.suspend = Flag(spec, "suspend");
  const std::int64_t ttl = Integer(spec, "ttlSecondsAfterFinished", -1);
  if (ttl >= 0 && ttl <= kMaxTtlSeconds) job.ttl = std::chrono::seconds(ttl);
}

}  // namespace

WeightedJob ReadWeightedJob(const json& object) {
  WeightedJob job;
  job.meta = ReadObjectMeta(object);
  const json& spec = Child(object, "spec");
  ReadSpec(spec, job);
  ReadClusterSections(spec, job);
  if (spec.is_object()) {
    json told = spec;
    for (const char* field : kOperatorFields) told.erase(field);
    job.manifest = Compact(Manifest(job.meta.name, std::move(told)));
    if (job.invalid.empty()) job.invalid = SizeTrouble(job.manifest);
  }
  job.status = ReadStatus(Child(object, "status"));
  return job;
}

}  // namespace evenkeel::api
