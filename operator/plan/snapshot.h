#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/job_plan.h"
#include "operator/api/node_view.h"
#include "operator/api/pod_view.h"
#include "operator/api/policy_view.h"
#include "operator/api/progress.h"
#include "operator/api/weighted_job.h"
#include "operator/plan/history_answer.h"

namespace evenkeel::plan {

/// The last answer of a coordinator.
struct CoordinatorReport {
  std::string pod_uid;  ///< of the pod that answered
  api::Progress progress;
  Duration age{};  ///< since the answer came
};

/// The last thing the API server or a coordinator refused to do for this job, while it still does.
struct ApplyFailure {
  std::string action;   ///< such as "pod primes-coordinator-1 cannot be created"
  std::string message;  ///< why, in one line
};

/// What is the same for all jobs.
struct OperatorSettings {
  std::string image;  ///< of workers and coordinators of jobs that start now
  /// What the image runs on, as nodes say it in status.nodeInfo.architecture.
  std::vector<std::string> architectures{"amd64", "arm64", "arm"};
};

/// The nodes of the cluster by name. Shared by the snapshots of all jobs, never changed once made.
using Nodes = std::map<std::string, std::shared_ptr<const api::NodeView>>;
/// What pods ask of each node, ended ones left out. Shared in the same way.
using Requests = std::map<std::string, api::Resources>;

/// All that a decision about one job is made of.
struct Snapshot {
  api::Timestamp now{};
  api::WeightedJob job;
  /// The WeightingPolicy that the job names; nothing if there is no such object.
  std::optional<api::PolicyView> policy;
  std::shared_ptr<const Nodes> nodes;        ///< all of the cluster; never null
  std::shared_ptr<const Requests> requests;  ///< of all pods, this job's included; never null
  std::vector<api::PodView> pods;            ///< of this job
  std::optional<api::JobPlan> plan;          ///< the ConfigMap NAME-plan
  std::optional<api::SnapshotView> kept;     ///< the ConfigMap NAME-snapshot
  std::optional<CoordinatorReport> report;
  /// Why the coordinator of the latest attempt would not be made a snapshot of, if it was tried.
  std::optional<std::string> snapshot_refusal;
  std::optional<ApplyFailure> failure;
  std::optional<api::Timestamp> last_status_write;  ///< of this process
  bool history_there = false;                       ///< there is somebody to ask for the history
  std::optional<HistoryAnswer> history;  ///< of the job's profile, once a plan has wanted it
  OperatorSettings settings;
};

}  // namespace evenkeel::plan
