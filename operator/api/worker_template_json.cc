#include "operator/api/worker_template_json.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/model/field_reader.h"
#include "operator/api/lenient_json.h"

namespace evenkeel::api {
namespace {

using nlohmann::json;

const std::string kField = "spec.worker.template.";

/// A part of what the restricted pod security admits (kubernetes.io/docs, pod security standards).
constexpr std::array kVolumeKinds{"configMap", "secret", "emptyDir", "persistentVolumeClaim"};

std::string Indexed(const char* list, std::size_t i, const std::string& field) {
  return kField + list + "[" + std::to_string(i) + "]." + field;
}

bool Within(const std::string& path, const std::string& folder) {
  return path == folder || path.starts_with(folder + "/");
}

Result<void> CheckVolumes(const json& volumes) {
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const json& volume = volumes[i];
    if (Text(volume, "name").starts_with(kOwnVolumePrefix)) {
      return InvalidInput(Indexed("volumes", i, "name") + ": must not begin with \"" +
                          kOwnVolumePrefix + "\"");
    }
    if (!volume.is_object()) continue;
    for (const auto& [kind, value] : volume.items()) {
      const auto is_it = [&kind = kind](const char* known) { return kind == known; };
      if (kind == "name" || std::any_of(kVolumeKinds.begin(), kVolumeKinds.end(), is_it)) continue;
      return InvalidInput(Indexed("volumes", i, model::ShownKey(kind)) +
                          ": is not allowed by the restricted pod security");
    }
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

Result<void> CheckSecurity(const json& context) {
  if (!context.is_object()) return {};
  for (const auto& [field, value] : context.items()) {
    const auto& known = SecurityFields();
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    return InvalidInput(kField + "securityContext." + model::ShownKey(field) +
                        ": is not allowed by the restricted pod security, allowed are " +
                        model::Joined(known));
  }
  return {};
}

std::string TextOf(const json& value) { return value.empty() ? std::string() : Compact(value); }

}  // namespace

const std::vector<std::string>& SecurityFields() {
  static const std::vector<std::string> fields{"runAsUser", "runAsGroup", "fsGroup",
                                               "fsGroupChangePolicy", "supplementalGroups"};
  return fields;
}

Result<WorkerTemplate> ReadWorkerTemplate(const json& pod_template, bool has_inputs) {
  const json& volumes = Items(pod_template, "volumes");
  const json& mounts = Items(pod_template, "volumeMounts");
  const json& security = Child(pod_template, "securityContext");
  for (const Result<void>& checked :
       {CheckVolumes(volumes), CheckMounts(mounts, has_inputs), CheckSecurity(security)}) {
    if (!checked) return tl::unexpected(checked.error());
  }
  WorkerTemplate result;
  result.env = TextOf(Items(pod_template, "env"));
  result.volumes = TextOf(volumes);
  result.volume_mounts = TextOf(mounts);
  result.image_pull_secrets = TextOf(Items(pod_template, "imagePullSecrets"));
  result.image_pull_policy = Text(pod_template, "imagePullPolicy");
  result.priority_class_name = Text(pod_template, "priorityClassName");
  result.security_context = security.is_object() ? TextOf(security) : std::string();
  return result;
}

}  // namespace evenkeel::api
