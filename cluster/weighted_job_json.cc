#include "cluster/weighted_job_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/job_status_json.h"
#include "cluster/json_fields.h"
#include "cluster/names.h"
#include "core/model/field_reader.h"
#include "core/model/job_parsing.h"
#include "core/model/manifest.h"
#include "core/model/names.h"
#include "core/model/policy_parsing.h"

namespace evenkeel::cluster {

ObjectMeta ReadObjectMeta(const nlohmann::json& object) {
  const nlohmann::json& metadata = Child(object, "metadata");
  ObjectMeta meta;
  meta.namespace_name = Text(metadata, "namespace");
  meta.name = Text(metadata, "name");
  meta.uid = Text(metadata, "uid");
  meta.resource_version = Text(metadata, "resourceVersion");
  meta.generation = Integer(metadata, "generation");
  meta.created = Time(metadata, "creationTimestamp").value_or(platform::Timestamp{});
  meta.deleted = Time(metadata, "deletionTimestamp");
  meta.annotations = Texts(metadata, "annotations");
  return meta;
}

namespace {

using nlohmann::json;

const std::string kField = "spec.worker.template.";

std::string Indexed(const char* list, std::size_t i, const std::string& field) {
  return kField + list + "[" + std::to_string(i) + "]." + field;
}

bool Within(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

Result<void> CheckVolumes(const json& volumes) {
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (!Text(volumes[i], "name").starts_with(kOwnVolumePrefix)) continue;
    return InvalidInput(Indexed("volumes", i, "name") + ": must not begin with \"" +
                        kOwnVolumePrefix + "\"");
  }
  return {};
}

Result<void> CheckMounts(const json& mounts, bool has_inputs) {
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const std::string path = Text(mounts[i], "mountPath");
    for (const std::string* own :
         {&path::kSettings, &path::kData, &path::kLauncher, &path::kInputs}) {
      const bool taken = has_inputs || own != &path::kInputs;
      if (!taken || !Within(path, *own)) continue;
      return InvalidInput(Indexed("volumeMounts", i, "mountPath") + ": must not be in " + *own +
                          ", which is taken");
    }
    if (Text(mounts[i], "name").starts_with(kOwnVolumePrefix)) {
      return InvalidInput(Indexed("volumeMounts", i, "name") + ": must not begin with \"" +
                          kOwnVolumePrefix + "\"");
    }
  }
  return {};
}

std::string TextOf(const json& value) { return value.empty() ? std::string() : Compact(value); }

}  // namespace

Result<WorkerTemplate> ReadWorkerTemplate(const json& pod_template, bool has_inputs) {
  const json& volumes = Items(pod_template, "volumes");
  const json& mounts = Items(pod_template, "volumeMounts");
  const json& security = Child(pod_template, "securityContext");
  for (const Result<void>& checked : {CheckVolumes(volumes), CheckMounts(mounts, has_inputs)}) {
    if (!checked) return tl::unexpected(checked.error());
  }
  WorkerTemplate result;
  result.labels = Texts(pod_template, "labels");
  result.annotations = Texts(pod_template, "annotations");
  result.env = TextOf(Items(pod_template, "env"));
  result.volumes = TextOf(volumes);
  result.volume_mounts = TextOf(mounts);
  result.image_pull_secrets = TextOf(Items(pod_template, "imagePullSecrets"));
  result.image_pull_policy = Text(pod_template, "imagePullPolicy");
  result.priority_class_name = Text(pod_template, "priorityClassName");
  result.security_context = security.is_object() ? TextOf(security) : std::string();
  return result;
}

namespace {

using nlohmann::json;

/// Fields of the spec that only the operator acts on. They may change in mid-run, and the time
/// before a suspension does not count for the deadline, which the coordinator could not know.
constexpr const char* kOperatorFields[] = {"suspend", "activeDeadlineSeconds", "after",
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

/// Repeats the rule for names in the schema of the CRD; names of objects depend on it.
std::string NameTrouble(const std::string& name) {
  if (name.size() > model::kMaxJobName) {
    return "metadata.name: must be at most " + std::to_string(model::kMaxJobName) +
           " characters, has " + std::to_string(name.size());
  }
  const bool letter_first = !name.empty() && name.front() >= 'a' && name.front() <= 'z';
  return letter_first ? "" : "metadata.name: must begin with a lower-case letter";
}

/// No workload is known by its name here: whichever has an image wants its tasks to be run in it.
std::string TaskImage(const json& workload) {
  if (!workload.is_object() || workload.size() != 1) return {};
  return Text(*workload.begin(), "image");
}

bool LearnsCosts(const json& workload) {
  if (!workload.is_object() || workload.size() != 1) return false;
  return Flag(Child(*workload.begin(), "cost"), "learned");
}

bool HasReduce(const json& workload) {
  if (!workload.is_object() || workload.size() != 1) return false;
  return !Items(*workload.begin(), "reduce").empty();
}

/// Whether tasks run in directories of their own, to which the workers bring the inputs.
bool HasFiles(const json& workload) {
  if (!workload.is_object() || workload.size() != 1) return false;
  const json& parameters = *workload.begin();
  return !Items(parameters, "inputs").empty() || !Items(parameters, "outputs").empty();
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
  job.learns_costs = LearnsCosts(Child(spec, "workload"));
  job.has_reduce = HasReduce(Child(spec, "workload"));
  job.has_files = HasFiles(Child(spec, "workload"));
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
    job.too_large = SizeTrouble(job.manifest);
  }
  job.status = ReadStatus(Child(object, "status"));
  return job;
}

PolicyView ReadWeightingPolicy(const nlohmann::json& object) {
  PolicyView view;
  view.meta = ReadObjectMeta(object);
  // Only what is ours: the server may add to metadata as it likes.
  auto policy = model::ReadPolicy({{"apiVersion", model::kApiVersion},
                                   {"kind", kPolicyKind},
                                   {"metadata", {{"name", view.meta.name}}},
                                   {"spec", Child(object, "spec")}});
  if (policy) {
    view.policy = std::move(*policy);
  } else {
    view.invalid = policy.error().message;
  }
  view.conditions = ReadConditions(Child(object, "status"));
  return view;
}

}  // namespace evenkeel::cluster
