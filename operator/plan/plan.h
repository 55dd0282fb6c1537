#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/job_plan.h"
#include "cluster/job_status.h"
#include "cluster/pod.h"
#include "core/base/time.h"

namespace evenkeel::plan {

/// Create the pod. That there is one of this name already is no error: the snapshot was older.
struct CreateCoordinator {
  cluster::CoordinatorPod pod;
  friend bool operator==(const CreateCoordinator&, const CreateCoordinator&) = default;
};

/// Create the pod; the same holds.
struct CreateWorker {
  cluster::WorkerPod pod;
  friend bool operator==(const CreateWorker&, const CreateWorker&) = default;
};

/// Delete the pod if it still has this uid. That it is gone already is no error.
struct DeletePod {
  std::string name;
  std::string uid;
  /// Grace period 0, because none of the pod's processes is left.
  bool at_once = false;
  friend bool operator==(const DeletePod&, const DeletePod&) = default;
};

/// Have the kubelet look at once whether the volumes of this pod have changed, instead of within
/// about a minute: by an annotation of the pod whose value has not been there before.
struct RefreshCoordinator {
  std::string pod;
  std::string uid;
  std::int64_t value = 0;
  friend bool operator==(const RefreshCoordinator&, const RefreshCoordinator&) = default;
};

/// Store the snapshot that the coordinator of this attempt delivered (Snapshot::has_snapshot) in
/// the ConfigMap NAME-snapshot.
struct StoreSnapshot {
  std::int64_t attempt = 0;
  friend bool operator==(const StoreSnapshot&, const StoreSnapshot&) = default;
};

/// Delete the WeightedJob, in the background: its time to live is over.
struct DeleteJob {
  friend bool operator==(const DeleteJob&, const DeleteJob&) = default;
};

using Action = std::variant<CreateCoordinator, CreateWorker, DeletePod, RefreshCoordinator,
                            StoreSnapshot, DeleteJob>;

/// One line for logs, e.g. "create worker on pi4-a".
[[nodiscard]] std::string Describe(const Action& action);

/// An event about the job.
struct Event {
  bool warning = false;
  std::string reason;  ///< one word in CamelCase
  std::string note;    ///< one line, at most 1,000 bytes
  /// Emitted after the status that contains the same is written; otherwise with the actions.
  bool of_status = false;

  friend bool operator==(const Event&, const Event&) = default;
};

/// All objects that a job is to have beside its pods: the ConfigMap NAME-plan, the Service, the
/// network policies, and the Secrets with certificates for the coordinator and these workers.
struct DesiredObjects {
  cluster::JobPlan plan;
  std::int64_t attempt = 1;               ///< of the coordinator that the Service leads workers to
  std::vector<std::string> worker_nodes;  ///< each worker gets a certificate; sorted

  friend bool operator==(const DesiredObjects&, const DesiredObjects&) = default;
};

/// An end of the command container of a node's worker.
struct ContainerEnd {
  std::int64_t at_seconds = 0;  ///< whole seconds since 1970 by the clock of the node
  bool out_of_memory = false;
  friend bool operator==(const ContainerEnd&, const ContainerEnd&) = default;
};

/// Ends of containers that one request to a coordinator may report.
inline constexpr std::size_t kMaxContainerEnds = 50;

/// The desired state of the coordinator in a pod. The operator repeats it until it is observed.
struct DesiredCoordinator {
  std::string pod_uid;
  bool suspended = false;       ///< drain and stay; else work
  bool wants_snapshot = false;  ///< deliver a snapshot once it has drained
  /// By node: the ends of command containers, later ones first. The latest kMaxContainerEnds.
  std::map<std::string, std::vector<ContainerEnd>> container_ends{};

  friend bool operator==(const DesiredCoordinator&, const DesiredCoordinator&) = default;
};

/// The changes to make for one job now. A plain value.
struct Plan {
  /// Applied before the actions; nothing: the objects stay as they are.
  std::optional<DesiredObjects> objects;
  /// Nothing: no coordinator is to be contacted.
  std::optional<DesiredCoordinator> coordinator;
  /// In this order; after one that failed the rest waits for the next plan.
  std::vector<Action> actions;
  /// The whole status, if it is to be written: after the actions, even if one of them failed.
  std::optional<cluster::JobStatus> status;
  bool status_is_urgent = false;  ///< before other jobs' figures
  std::vector<Event> events;
  /// Nodes are to be weighed, and Snapshot::history is not there yet though it could be. Nothing
  /// else in this plan counts: it is to be made again with the history.
  bool wants_history = false;
  /// Nodes that lack nothing but room for a worker of the job, in the order in which the status
  /// names them: the job is to be planned again when there is room on one of them. The status names
  /// the jobs that hold the room only if Snapshot::room_holders has these nodes.
  std::vector<std::string> crowded_nodes;
  /// Look again after this time, even if nothing changes until then.
  std::optional<Duration> requeue_after;

  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace evenkeel::plan
