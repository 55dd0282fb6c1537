#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "cluster/job_plan.h"
#include "cluster/job_status.h"
#include "cluster/timestamp.h"
#include "kubernetes/client.h"
#include "kubernetes/object.h"
#include "kubernetes/time.h"
#include "operator/coordinator_link.h"
#include "operator/identity/job_identity.h"
#include "operator/manifests/job_objects.h"
#include "operator/plan/plan.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::controller {

/// What the operator remembers of a job from one look at it to the next. Nothing in it is lost with
/// the process: plan and kept are read from the cluster again, the rest is found out again.
struct JobRecord {
  std::string uid;
  std::optional<cluster::JobPlan> plan;
  std::optional<cluster::SnapshotView> kept;
  struct SnapshotRefusal {
    std::int64_t attempt = 0;
    std::string why;
  };
  std::optional<SnapshotRefusal> snapshot_refusal;
  std::optional<plan::ApplyFailure> failure;
  std::optional<cluster::Timestamp> last_status_write;
  bool expected = false;  ///< by the history, on these nodes
  bool counted = false;   ///< in the history, whatever a cache that is behind may show
  /// The status as it was written last. It counts instead of the cache's as long as the cache still
  /// shows the version it was written on.
  struct WrittenStatus {
    std::string on_version;
    cluster::JobStatus status;
  };
  std::optional<WrittenStatus> written;
};

/// The records of all jobs. Thread-safe; a record itself belongs to whoever works on its job.
class JobRecords {
 public:
  /// The record of this very job; null if there is none, or one of an earlier job of that name.
  [[nodiscard]] std::shared_ptr<JobRecord> Find(const kube::ObjectKey& job,
                                                const std::string& uid) const {
    const std::scoped_lock lock(mutex_);
    const auto found = records_.find(job);
    return found == records_.end() || found->second->uid != uid ? nullptr : found->second;
  }
  void Put(const kube::ObjectKey& job, std::shared_ptr<JobRecord> record) {
    const std::scoped_lock lock(mutex_);
    records_.insert_or_assign(job, std::move(record));
  }
  void Forget(const kube::ObjectKey& job) {
    const std::scoped_lock lock(mutex_);
    records_.erase(job);
  }

 private:
  mutable std::mutex mutex_;
  std::map<kube::ObjectKey, std::shared_ptr<JobRecord>> records_;  // guarded by mutex_
};

/// Why an action could not be carried out.
struct ActionError {
  std::string action;                  ///< such as "pod primes-coordinator-1 cannot be created"
  std::string message;                 ///< why, in one line
  bool is_permanent = false;           ///< it was refused; trying again at once will not help
  bool namespace_terminating = false;  ///< the job itself is about to be deleted
};
using ActionResult = tl::expected<void, ActionError>;

/// What errands need of the process. All of it outlives them.
struct ExecutorDependencies {
  const kube::Client& client;
  CoordinatorLink& coordinators;
  const kube::WallClock& wall;
  std::string operator_key;  ///< from which the tokens for coordinators are made
  cluster::FlowSettings flows;
};

/// Carries out the actions of one plan, in order, and notes in the record what has come of them.
/// For one thread.
class ActionExecutor {
 public:
  /// `snapshot` is what the plan was made from.
  ActionExecutor(const ExecutorDependencies& tools, const plan::Snapshot& snapshot,
                 JobRecord& record)
      : tools_(tools), snapshot_(snapshot), job_(snapshot.job), record_(record) {}

  [[nodiscard]] ActionResult Execute(const plan::Action& action);

 private:
  [[nodiscard]] ActionResult Do(const plan::EnsureIdentity& action);
  [[nodiscard]] ActionResult Do(const plan::ApplyPlan& action);
  [[nodiscard]] ActionResult Do(const plan::ApplyService& action);
  [[nodiscard]] ActionResult Do(const plan::ApplyNetworkPolicies& action);
  [[nodiscard]] ActionResult Do(const plan::CreateCoordinator& action);
  [[nodiscard]] ActionResult Do(const plan::CreateWorker& action);
  [[nodiscard]] ActionResult Do(const plan::DeletePod& action);
  [[nodiscard]] ActionResult Do(const plan::SuspendCoordinator& action);
  [[nodiscard]] ActionResult Do(const plan::ResumeCoordinator& action);
  [[nodiscard]] ActionResult Do(const plan::RefreshCoordinator& action);
  [[nodiscard]] ActionResult Do(const plan::TakeSnapshot& action);
  [[nodiscard]] ActionResult Do(const plan::DeleteJob& action);

  [[nodiscard]] ActionResult Apply(const kube::Resource& resource, const kube::Json& object);
  [[nodiscard]] ActionResult CreatePod(const kube::Json& pod);
  [[nodiscard]] ActionResult CheckOwner(const std::string& pod, const std::string& action);
  /// Of the coordinator in the pod of this name; an error if it cannot be reached yet.
  [[nodiscard]] tl::expected<CoordinatorAddress, ActionError> AddressOf(
      const std::string& pod) const;

  const ExecutorDependencies& tools_;
  const plan::Snapshot& snapshot_;
  const cluster::WeightedJob& job_;
  JobRecord& record_;
  std::optional<identity::JobIdentity> fresh_;  // made in this executor, not in the plan yet
};

/// Where the coordinator in this pod is and how to know it. The plan names the authority.
[[nodiscard]] CoordinatorAddress AddressOfCoordinator(const cluster::WeightedJob& job,
                                                      const cluster::PodView& pod,
                                                      const cluster::JobPlan& plan,
                                                      const std::string& operator_key);

}  // namespace evenkeel::controller
