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
#include "core/base/clock.h"
#include "kubernetes/client.h"
#include "kubernetes/object.h"
#include "kubernetes/owned_object.h"
#include "kubernetes/time.h"
#include "operator/identity/key_ring.h"
#include "operator/manifests/job_objects.h"
#include "operator/plan/plan.h"
#include "operator/plan/snapshot.h"
#include "platform/time.h"

namespace evenkeel::controller {

/// State of a job that the operator keeps in memory between reconciliations. All of it may be lost:
/// `plan` and `kept` are read from the cluster again, the rest is observed again.
struct JobRecord {
  std::string uid;
  std::optional<cluster::JobPlan> plan;
  std::optional<cluster::SnapshotView> kept;
  std::optional<std::string> snapshot_refusal;  ///< why there is no snapshot of the latest attempt
  std::optional<plan::ApplyFailure> failure;
  std::optional<std::string> name_conflict;  ///< see plan::Snapshot
  /// By kind and name: what was written last.
  std::map<std::pair<std::string, std::string>, kube::AppliedObject> applied;
  /// The certificates that coordinators are checked against: derived once for each digest.
  struct Authorities {
    std::string digest;
    std::string pem;
  };
  Authorities authorities;
  /// By node: since when the job has had a worker pod there. Only these nodes enter the history.
  std::map<std::string, platform::Timestamp> worker_since;
  std::optional<platform::Timestamp> last_status_write;
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

/// The records of all jobs. Thread-safe, but a record itself belongs to the caller that reconciles
/// its job.
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

/// Why an action could not be executed.
struct ActionError {
  std::string action;                  ///< such as "pod primes-coordinator-1 cannot be created"
  std::string message;                 ///< why, in one line
  bool is_permanent = false;           ///< it was refused; trying again at once will not help
  bool namespace_terminating = false;  ///< the job itself is about to be deleted
  /// The object that has a name which this job needs: "Service lab/primes-coordinator"; empty:
  /// none.
  std::string name_conflict;
};
using ActionResult = tl::expected<void, ActionError>;

/// Finds what the cache shows of an object that jobs own; null if nothing. Thread-safe.
class OwnedObjectCache {
 public:
  virtual ~OwnedObjectCache() = default;
  [[nodiscard]] virtual std::shared_ptr<const kube::OwnedMetadata> FindOwned(
      const kube::Resource& resource, const kube::ObjectKey& key) const = 0;
};

/// Services of the process that executors use. They must outlive the executors.
struct ExecutorDependencies {
  const kube::Client& client;
  const OwnedObjectCache& owned_objects;
  const kube::WallClock& wall;
  const Clock& clock;
  const identity::KeyRing& keys;
  cluster::FlowSettings flows;
};

/// Brings about the objects of one plan and executes its actions, in order, and notes in the record
/// what has come of them. For one thread.
class ActionExecutor {
 public:
  /// `snapshot` is what the plan was made from. `stored_snapshot`: what the coordinator delivered;
  /// may be null.
  ActionExecutor(const ExecutorDependencies& dependencies, const plan::Snapshot& snapshot,
                 std::shared_ptr<const std::string> stored_snapshot, JobRecord& record)
      : dependencies_(dependencies),
        job_(snapshot.job),
        stored_snapshot_(std::move(stored_snapshot)),
        record_(record) {}

  [[nodiscard]] ActionResult Reconcile(const plan::DesiredObjects& objects);
  [[nodiscard]] ActionResult Execute(const plan::Action& action);
  /// An object was written a moment ago and the cache does not show it yet: look again then.
  [[nodiscard]] bool AwaitsCache() const { return awaits_cache_; }

 private:
  [[nodiscard]] ActionResult Do(const plan::CreateCoordinator& action);
  [[nodiscard]] ActionResult Do(const plan::CreateWorker& action);
  [[nodiscard]] ActionResult Do(const plan::DeletePod& action);
  [[nodiscard]] ActionResult Do(const plan::RefreshCoordinator& action);
  [[nodiscard]] ActionResult Do(const plan::StoreSnapshot& action);
  [[nodiscard]] ActionResult Do(const plan::DeleteJob& action);

  [[nodiscard]] ActionResult Reconcile(const kube::DesiredObject& desired);
  [[nodiscard]] ActionResult CreatePod(const kube::Json& pod);
  [[nodiscard]] ActionResult CheckOwner(const std::string& pod, const std::string& action);

  const ExecutorDependencies& dependencies_;
  const cluster::WeightedJob& job_;
  const std::shared_ptr<const std::string> stored_snapshot_;
  JobRecord& record_;
  bool awaits_cache_ = false;
};

}  // namespace evenkeel::controller
