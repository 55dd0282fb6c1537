#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "operator/api/job_plan.h"
#include "operator/api/job_status.h"
#include "operator/api/timestamp.h"
#include "operator/kube/object_meta.h"
#include "operator/plan/snapshot.h"

namespace evenkeel::operating {

/// What the operator remembers of a job from one look at it to the next. Nothing in it is lost with
/// the process: plan and kept are read from the cluster again, the rest is found out again.
struct JobRecord {
  std::string uid;
  std::optional<api::JobPlan> plan;
  std::optional<api::SnapshotView> kept;
  struct SnapshotRefusal {
    std::int64_t attempt = 0;
    std::string why;
  };
  std::optional<SnapshotRefusal> snapshot_refusal;
  std::optional<plan::ApplyFailure> failure;
  std::optional<api::Timestamp> last_status_write;
  bool expected = false;  ///< by the history, on these nodes
  bool counted = false;   ///< in the history, whatever a cache that is behind may show
  /// The status as it was written last. It counts instead of the cache's as long as the cache still
  /// shows the version it was written on.
  struct WrittenStatus {
    std::string on_version;
    api::JobStatus status;
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

}  // namespace evenkeel::operating
