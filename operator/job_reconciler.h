#pragma once

#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "kubernetes/events.h"
#include "operator/action_executor.h"
#include "operator/cluster_cache.h"
#include "operator/coordinator_poller.h"
#include "operator/history/history_source.h"
#include "operator/job_history.h"
#include "operator/plan/make_plan.h"
#include "operator/plan/plan.h"
#include "operator/reconciler.h"
#include "operator/status_pacer.h"

namespace evenkeel::controller {

/// Reconciles jobs: takes a snapshot of cluster and coordinator, has plan::MakePlan decide, and
/// executes the plan. Calls only the API server.
class JobReconciler final : public Reconciler {
 public:
  struct Parts {
    ClusterCache& cache;
    CoordinatorPoller& poller;
    kube::EventRecorder& events;
    StatusPacer& pacer;
    JobHistory& history;
    RateHistory& rates;
    const Clock& clock;
    const ExecutorDependencies& executor;
    plan::OperatorSettings settings;
  };
  explicit JobReconciler(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] Reconciliation Reconcile(const kube::ObjectKey& key) override;

 private:
  using Job = std::shared_ptr<const cluster::WeightedJob>;

  /// The record of the job; read from the cluster the first time.
  [[nodiscard]] tl::expected<std::shared_ptr<JobRecord>, kube::ApiError> RecordOf(
      const kube::ObjectKey& key, const cluster::WeightedJob& job);
  [[nodiscard]] plan::Snapshot TakeSnapshot(const kube::ObjectKey& key, const Job& job,
                                            JobRecord& record) const;
  /// Has the cache name the job again when there is room on one of the plan's crowded nodes, and
  /// has the plan say which jobs hold that room.
  void AwaitRoom(plan::Plan& plan, plan::Snapshot& snapshot) const;
  /// Up to the first action that fails; what is wrong is noted in the record and in `end`.
  void Execute(const plan::Plan& plan, const plan::Snapshot& snapshot, JobRecord& record,
               Reconciliation& end) const;
  /// True if it was written.
  bool WriteStatus(const kube::ObjectKey& key, const plan::Plan& plan,
                   const plan::Snapshot& snapshot, JobRecord& record, Reconciliation& end) const;
  void RecordEvents(const plan::Plan& plan, const cluster::WeightedJob& job,
                    bool status_written) const;
  /// Adds the job to the history when the status that it is over has just been written: that is the
  /// mark by which no later reconciliation, and no other operator, does it again.
  void UpdateHistory(const plan::Plan& plan, const plan::Snapshot& snapshot, JobRecord& record,
                     bool status_written) const;
  /// Has the coordinator polled that the plan names, or none.
  void UpdatePoller(const kube::ObjectKey& key, const plan::Plan& plan,
                    const plan::Snapshot& snapshot, JobRecord& record) const;
  [[nodiscard]] platform::Timestamp WallNow() const;

  Parts parts_;
  JobRecords records_;
};

}  // namespace evenkeel::controller
