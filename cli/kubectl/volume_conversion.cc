#include "cli/kubectl/volume_conversion.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/json_fields.h"
#include "cluster/weighted_job_json.h"
#include "core/model/field_reader.h"

namespace evenkeel::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

const FieldRules& MountRules() {
  static const FieldRules kRules{
      {"name"},
      {"mountPath"},
      {"subPath"},
      {"readOnly"},
      {"mountPropagation", "mounts are not passed on between node and container", {"None"}},
      {"recursiveReadOnly", "readOnly applies to the volume itself", {"Disabled"}}};
  return kRules;
}

constexpr const char* kNewVolume = "the volume is new and empty for each worker";
constexpr const char* kAllKeys = "all keys become files of their names";
constexpr int kDefaultMode = 0644;

/// The kinds of volumes, with the fields of each.
const std::map<std::string, FieldRules>& VolumeRules() {
  static const std::map<std::string, FieldRules> kRules{
      {"configMap",
       {{"name"},
        {"optional"},
        {"items", kAllKeys},
        {"defaultMode", "the mode of the files is 0644", {kDefaultMode}}}},
      {"secret",
       {{"secretName"},
        {"optional"},
        {"items", kAllKeys},
        {"defaultMode", "the mode of the files is 0644", {kDefaultMode}}}},
      {"emptyDir", {{"medium"}, {"sizeLimit"}}},
      {"ephemeral", {{"volumeClaimTemplate"}}},
      {"persistentVolumeClaim", {{"claimName"}, {"readOnly"}}},
  };
  return kRules;
}

std::string VolumeKinds() {
  std::vector<std::string> kinds;
  for (const auto& [kind, rules] : VolumeRules()) kinds.push_back(kind);
  return model::Joined(kinds);
}

class VolumeConverter {
 public:
  explicit VolumeConverter(ConversionRemarks& remarks) : remarks_(remarks) {}

  ConvertedVolumes Convert(const json& volumes, const json& mounts) {
    std::set<std::string> mounted;
    for (const json& mount : mounts) mounted.insert(cluster::Text(mount, "name"));

    ConvertedVolumes converted{ordered_json::array(), ordered_json::array()};
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      const std::string name = cluster::Text(volumes[i], "name");
      ordered_json volume = ConvertVolume(volumes[i], ItemPath("spec.template.spec.volumes", i),
                                          mounted.contains(name));
      if (volume.empty()) {
        unconverted_.insert(name);
      } else {
        converted.volumes.push_back(std::move(volume));
      }
    }
    for (std::size_t i = 0; i < mounts.size(); ++i) {
      ordered_json mount = ConvertMount(mounts[i], ItemPath(kContainerPath + ".volumeMounts", i));
      if (!mount.empty()) converted.mounts.push_back(std::move(mount));
    }
    return converted;
  }

 private:
  /// Empty if it cannot be converted, or need not be.
  ordered_json ConvertVolume(const json& volume, const std::string& path, bool mounted) {
    const std::string name = cluster::Text(volume, "name");
    if (name.starts_with(cluster::kOwnVolumePrefix)) {
      remarks_.AddUnconverted(path, "names that begin with " + cluster::kOwnVolumePrefix +
                                        " are those of the operator's own volumes");
      return {};
    }
    if (!mounted) {
      remarks_.AddUnconverted(path, "the container does not mount it");
      return {};
    }
    for (const auto& [kind, source] : volume.items()) {
      if (kind == "name" || source.is_null()) continue;
      const auto rules = VolumeRules().find(kind);
      if (rules == VolumeRules().end()) {
        remarks_.AddUnconverted(path, WhyNoVolume(kind, source));
        return {};
      }
      if (kind == "emptyDir") {
        remarks_.Add(path,
                     "is shared by all tasks that run in the pod of a worker; name files by " +
                         kIndexVariable + ", and remove them when a task ends");
      }
      const json& claim = cluster::Child(cluster::Child(source, "volumeClaimTemplate"), "spec");
      if (cluster::Text(claim, "volumeMode") == "Block") {
        remarks_.AddUnconverted(path, kFileSystems);
        return {};
      }
      ordered_json kept{{"name", name}};
      kept[kind] = remarks_.KeepConverted(source, path + "." + kind, rules->second);
      if (kind == "ephemeral") ConvertClaim(source, path + ".ephemeral", kept[kind]);
      return kept;
    }
    remarks_.AddUnconverted(path, "it has no source, must be one of " + VolumeKinds());
    return {};
  }

  /// The claim of a generic ephemeral volume.
  void ConvertClaim(const json& ephemeral, const std::string& path, ordered_json& kept) {
    static const FieldRules kTemplateRules{
        {"spec"}, {"metadata", "the claims have no labels and annotations of their own"}};
    static const FieldRules kSpecRules{
        {"accessModes"},
        {"storageClassName"},
        {"volumeMode"},
        {"resources"},
        {"dataSource", kNewVolume},
        {"dataSourceRef", kNewVolume},
        {"selector", kNewVolume},
        {"volumeAttributesClassName", kNewVolume},
        {"volumeName", kNewVolume},
    };
    const std::string place = path + ".volumeClaimTemplate";
    const json& claim = cluster::Child(ephemeral, "volumeClaimTemplate");
    kept["volumeClaimTemplate"] = remarks_.KeepConverted(claim, place, kTemplateRules);
    kept["volumeClaimTemplate"]["spec"] =
        remarks_.KeepConverted(cluster::Child(claim, "spec"), place + ".spec", kSpecRules);
  }

  static std::string WhyNoVolume(const std::string& kind, const json& source) {
    if (source.dump().find("batch.kubernetes.io/job-completion-index") != std::string::npos) {
      return "a file cannot hold the index of a task, because the tasks of a node share one pod; "
             "the index is in the variable " +
             kIndexVariable +
             ", and in the command if spec.workload.command.arguments lists what differs "
             "between tasks";
    }
    return "volumes of kind " + model::ShownKey(kind) + " are not supported, only " + VolumeKinds();
  }

  /// Empty if it cannot be converted.
  ordered_json ConvertMount(const json& mount, const std::string& path) {
    if (unconverted_.contains(cluster::Text(mount, "name"))) {
      remarks_.AddUnconverted(path, "its volume is not converted");
      return {};
    }
    if (mount.contains("subPathExpr")) {
      remarks_.AddUnconverted(path,
                              "subPathExpr has another value for each pod; mount the whole volume, "
                              "and let the command use a folder named by " +
                                  kIndexVariable);
      return {};
    }
    const std::string place = cluster::Text(mount, "mountPath") + "/";
    for (const std::string* taken :
         {&cluster::path::kSettings, &cluster::path::kData, &cluster::path::kLauncher}) {
      if (!place.starts_with(*taken + "/")) continue;
      remarks_.AddUnconverted(path, "the operator has its own files in " + *taken);
      return {};
    }
    return remarks_.KeepConverted(mount, path, MountRules());
  }

  ConversionRemarks& remarks_;
  std::set<std::string> unconverted_;  ///< names of volumes
};

}  // namespace

ConvertedVolumes ConvertVolumes(const json& volumes, const json& mounts,
                                ConversionRemarks& remarks) {
  return VolumeConverter(remarks).Convert(volumes, mounts);
}

}  // namespace evenkeel::cli
