#pragma once

#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "kubernetes/events.h"
#include "operator/action_executor.h"
#include "operator/cluster_cache.h"
#include "operator/history/prometheus.h"
#include "operator/job_history.h"
#include "operator/plan/make_plan.h"
#include "operator/plan/plan.h"
#include "operator/progress_poller.h"
#include "operator/status_pacer.h"

namespace evenkeel::controller {

/// What came of one look at a job.
struct Reconciliation {
  bool failed = false;            ///< look again soon, with a growing pause
  std::string trouble;            ///< why, one line
  bool unfinished = false;        ///< its status waits for its turn: it may yet be refused
  std::optional<Duration> again;  ///< look again after this time
};

/// Brings one job nearer to what it should be: cluster and coordinator are looked at,
/// plan::MakePlan decides, the plan is carried out. Level-triggered: all that counts is how things
/// stand. Thread-safe for different jobs; one job belongs to one caller at a time.
class JobReconciler {
 public:
  struct Parts {
    const ClusterCache& cache;
    ProgressPoller& poller;
    kube::EventRecorder& events;
    StatusPacer& pacer;
    JobHistory& history;
    RateHistory& rates;
    const Clock& clock;
    const ExecutorDependencies& tools;
    plan::OperatorSettings settings;
  };
  explicit JobReconciler(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] Reconciliation Reconcile(const kube::ObjectKey& key);

 private:
  using Job = std::shared_ptr<const cluster::WeightedJob>;

  /// The record of the job; read from the cluster the first time.
  [[nodiscard]] tl::expected<std::shared_ptr<JobRecord>, kube::ApiError> RecordOf(
      const kube::ObjectKey& key, const cluster::WeightedJob& job);
  /// What is to be done; asks for the history if that takes one.
  [[nodiscard]] plan::Plan Decide(plan::Snapshot& snapshot) const;
  [[nodiscard]] plan::Snapshot Look(const kube::ObjectKey& key, const Job& job,
                                    const JobRecord& record) const;
  /// Up to the first action that fails; what is wrong is noted in the record and in `end`.
  void ExecuteActions(const plan::Plan& plan, const plan::Snapshot& snapshot, JobRecord& record,
                      Reconciliation& end) const;
  /// True if it was written.
  bool WriteStatus(const kube::ObjectKey& key, const plan::Plan& plan,
                   const plan::Snapshot& snapshot, JobRecord& record, Reconciliation& end) const;
  void Tell(const plan::Plan& plan, const cluster::WeightedJob& job, bool status_written) const;
  /// Adds the job to the history when the status that it is over has just been written: that is the
  /// mark by which no later look, and no other operator, does it again.
  void Remember(const plan::Plan& plan, const plan::Snapshot& snapshot, JobRecord& record,
                bool status_written) const;
  void Follow(const kube::ObjectKey& key, const plan::Snapshot& snapshot,
              const JobRecord& record) const;
  [[nodiscard]] cluster::Timestamp WallNow() const;

  Parts parts_;
  JobRecords records_;
};

}  // namespace evenkeel::controller
