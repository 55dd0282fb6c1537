#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/eligibility.h"
#include "cluster/job_plan.h"
#include "cluster/job_status.h"
#include "cluster/node.h"
#include "cluster/pod.h"
#include "cluster/weighted_job.h"
#include "core/scheduling/history/blended_rates.h"

namespace evenkeel::plan {

/// The result of a query for the rates of nodes in earlier jobs of a profile.
struct HistoryAnswer {
  enum class Kind {
    kSamples,      ///< an answer, perhaps of no node at all
    kUnreachable,  ///< none in time
    kInvalid,      ///< one that makes no sense
  };
  Kind kind = Kind::kSamples;
  std::map<std::string, scheduling::RateSample> samples;  ///< by node
  std::string trouble;                                    ///< one line, unless there are samples
};

/// The last answer of a coordinator.
struct CoordinatorReport {
  std::string pod_uid;  ///< of the pod that answered
  cluster::Progress progress;
  Duration age{};             ///< since the answer came
  bool has_snapshot = false;  ///< the operator holds a snapshot from this coordinator
};

/// A job that another one waits for, as the cluster has it.
struct Dependency {
  enum class State {
    kAbsent,  ///< there is no such job
    kUnfinished,
    kSuspended,
    kComplete,
    kFailed,
  };
  std::string name;
  State state = State::kAbsent;
  std::string uid;             ///< empty if it is absent
  std::string failure_reason;  ///< of its condition Failed, if it has failed

  friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// The jobs that a job waits for, as the cluster has them.
struct Dependencies {
  std::vector<Dependency> jobs;  ///< in the order of AwaitedJobs
  /// Why the results of the job of spec.rerun, which has ended, cannot be taken over; or empty.
  std::string rerun_obstacle;
  /// Names of jobs that can never start: this one, a job it waits for, a job that one waits for,
  /// and so on; the last one waits for this one. Empty if there is no such circle, or if an earlier
  /// search found none.
  std::vector<std::string> circle;
};

/// The last thing the API server or a coordinator refused to do for this job, while it still does.
struct ApplyFailure {
  std::string action;   ///< such as "pod primes-coordinator-1 cannot be created"
  std::string message;  ///< why, in one line
};

/// Settings that all jobs share.
struct OperatorSettings {
  std::string image;  ///< of workers and coordinators of jobs that start now
  /// The architectures of the image, spelled as in status.nodeInfo.architecture of nodes.
  std::vector<std::string> architectures = cluster::ImageArchitectures();
  platform::Timestamp started{};  ///< when this operator began to follow jobs
  /// Ids of the operator's keys: certificates of new jobs are made by the first; jobs that began
  /// with the previous one (empty: none) are moved over.
  std::string key_id;
  std::string previous_key_id;
  /// How long pods may take to read a Secret that has changed: the kubelet's period and cache, and
  /// the pod's own look at its files.
  Duration secret_propagation = std::chrono::minutes(3);
};

/// The nodes of the cluster by name. Shared by the snapshots of all jobs, never changed once made.
using Nodes = std::map<std::string, std::shared_ptr<const cluster::NodeView>>;
/// The requests of the running pods on each node. Shared in the same way.
using Requests = std::map<std::string, cluster::Resources>;
/// Requests of the pods of the jobs of one namespace: by node, then by name of the job.
using RoomHolders = std::map<std::string, std::map<std::string, cluster::Resources>>;

/// All that a decision about one job is made of.
struct Snapshot {
  platform::Timestamp now{};
  cluster::WeightedJob job;
  /// The WeightingPolicy that the job names; nothing if there is no such object.
  std::optional<cluster::PolicyView> policy;
  std::shared_ptr<const Nodes> nodes;        ///< all of the cluster; never null
  std::shared_ptr<const Requests> requests;  ///< of all pods, this job's included; never null
  /// Requests in the job's namespace, without the job's own workers, on nodes of an earlier
  /// Plan::crowded_nodes. Nothing is known of other nodes.
  std::optional<RoomHolders> room_holders;
  std::vector<cluster::PodView> pods;  ///< of this job
  Dependencies dependencies;           ///< empty for a job that is over
  /// Another job waits for this one and has not recorded yet how this one ended.
  bool has_waiting_dependents = false;
  std::optional<cluster::JobPlan> plan;       ///< the ConfigMap NAME-plan
  std::optional<cluster::SnapshotView> kept;  ///< the ConfigMap NAME-snapshot
  std::optional<CoordinatorReport> report;
  /// Why the coordinator of the latest attempt would not be made a snapshot of, if it was tried.
  std::optional<std::string> snapshot_refusal;
  std::optional<ApplyFailure> failure;
  /// An object that this job does not own and that has a name it needs: "Service
  /// lab/primes-coordinator".
  std::optional<std::string> name_conflict;
  std::optional<platform::Timestamp> last_status_write;  ///< of this process
  bool history_there = false;                            ///< a source of history is available
  std::optional<HistoryAnswer> history;  ///< of the job's profile, once a plan has wanted it
  OperatorSettings settings;
};

}  // namespace evenkeel::plan
