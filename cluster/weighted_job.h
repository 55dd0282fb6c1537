#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/job_status.h"
#include "cluster/node.h"
#include "cluster/resources.h"
#include "core/model/job_spec.h"
#include "core/model/weighting_policy.h"
#include "platform/time.h"

namespace evenkeel::cluster {

/// The fields of metadata in use.
struct ObjectMeta {
  std::string namespace_name;  ///< metadata.namespace
  std::string name;
  std::string uid;
  std::string resource_version;  ///< opaque
  std::int64_t generation = 0;
  platform::Timestamp created{};
  std::optional<platform::Timestamp> deleted;  ///< deletionTimestamp
  std::map<std::string, std::string> annotations;
};

/// spec.worker.template: the part of a pod template that a job may set. Lists and objects are
/// canonical JSON text, empty if absent: they go into the pod as they are, the API server judges
/// them.
struct WorkerTemplate {
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::string env;                 ///< a list
  std::string volumes;             ///< a list, kinds of the restricted pod security only
  std::string volume_mounts;       ///< a list, none at our own places
  std::string image_pull_secrets;  ///< a list
  std::string image_pull_policy;   ///< IfNotPresent if empty
  std::string priority_class_name;
  std::string
      security_context;  ///< an object; only who the process is, see model::SecurityFields()

  friend bool operator==(const WorkerTemplate&, const WorkerTemplate&) = default;
};

/// spec.inputs: at most one is set.
struct Inputs {
  std::string claim;
  std::string config_map;

  [[nodiscard]] bool Any() const { return !claim.empty() || !config_map.empty(); }
};

/// A WeightedJob as the API server has it. A plain value.
struct WeightedJob {
  ObjectMeta meta;
  /// Why the spec cannot be worked with, one line "FIELD: what is wrong"; empty if it can. The
  /// members up to `status` are as good as they could be read then.
  std::string invalid;
  /// Why the manifest cannot be handed to a coordinator, although the spec is good; empty if it
  /// can. A job that runs may have grown that much.
  std::string too_large;
  model::JobSpec spec;
  /// The coordinator's manifest: apiVersion, kind, metadata.name and spec as JSON text, without
  /// the fields of the spec that only the operator uses.
  std::string manifest;
  std::string workload;  ///< spec.workload as JSON text
  /// `image` of the workload's parameters: its tasks run in a container with this image, not in the
  /// worker. Empty if they run in the worker.
  std::string task_image;
  std::vector<Toleration> tolerations;  ///< spec.nodes.tolerations
  std::string worker_image;             ///< spec.worker.image; empty: the operator's
  ResourceRequirements resources;       ///< spec.worker.resources, defaults filled in
  WorkerTemplate worker;
  Inputs inputs;
  bool learns_costs = false;    ///< cost.learned of the workload's parameters
  bool has_reduce = false;      ///< `reduce` of the workload's parameters
  bool has_files = false;       ///< `inputs` or `outputs` of the workload's parameters
  std::string result_claim;     ///< spec.resultStorage.persistentVolumeClaim; empty if none
  std::optional<Duration> ttl;  ///< spec.ttlSecondsAfterFinished
  bool suspend = false;
  JobStatus status;
};

/// A WeightingPolicy as the API server has it.
struct PolicyView {
  ObjectMeta meta;
  std::string invalid;  ///< why it cannot be worked with, one line; empty if it can
  model::WeightingPolicy policy;
  Conditions conditions;  ///< of its status
};

}  // namespace evenkeel::cluster
