#pragma once

#include <string>
#include <vector>

#include "core/engine/commit_queue.h"
#include "core/engine/completion_policy.h"
#include "core/engine/crash_isolation.h"
#include "core/engine/delivery_watch.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/lost_runners.h"
#include "core/engine/membership.h"
#include "core/engine/messages.h"
#include "core/engine/result_verification.h"
#include "core/engine/retry_policy.h"
#include "core/engine/run_statistics.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"
#include "core/engine/withheld_placement.h"
#include "core/model/cost_model.h"
#include "core/scheduling/data_holders.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// Takes results and failures in, from workers and from the journal. Each task counts once: later
/// results are cut to what is new, and a failure counts only for the run that has the lease. All
/// that counts goes to the commit queue. Not thread-safe.
class ResultIntake {
 public:
  using WorkerId = scheduling::WorkerId;
  using IndexRange = model::IndexRange;

  /// All of them outlive the intake.
  struct Parts {
    const model::CostModel& costs;
    const scheduling::DataHolders& holders;
    const Membership& membership;
    scheduling::TimingEstimator& estimator;
    TaskLedger& ledger;
    RetryPolicy& retries;
    CrashIsolation& isolation;
    LostRunners& lost_runners;
    CompletionPolicy& completion;
    RunStatistics& statistics;
    StrategyDriver& driver;
    WithheldPlacement& placement;
    ResultVerification& verification;
    CommitQueue& commits;
    EffectOutbox& outbox;
    DeliveryWatch& deliveries;
  };

  /// `idempotent`: tasks may run twice, so that workers keep no lease clock of their own.
  ResultIntake(const Parts& parts, bool idempotent) : parts_(parts), idempotent_(idempotent) {}

  // From the journal.

  void RestoreCompleted(const model::RangeSet& completed);
  void RestoreFailures(const std::vector<model::FailureRecord>& failures, Instant now);

  // From workers.

  /// False for a report that no honest worker sends: it must not touch the job.
  [[nodiscard]] bool IsValid(const Report& report) const;
  /// A valid report of a connected worker.
  void Apply(WorkerId worker, Report report, Instant now);
  /// The worker died while it ran this task alone: a failed attempt. The task is withheld, or
  /// leased to another worker since.
  void ChargeDeath(WorkerId worker, model::TaskIndex alone, Death death, Instant now);
  /// Counts the failures of tasks that were alone when their container ended, if it is known why or
  /// that has been waited for long enough.
  void JudgeLostRunners(Instant now);

 private:
  void Measure(WorkerId worker, const Report& report, Instant now);
  void NoteRunning(WorkerId worker, const std::vector<RunningTask>& running, Instant now);
  void ApplyCompleted(WorkerId worker, CompletedRange done, Instant now, Commit& commit);
  /// Adds records of the range to the commit, one for each way in which its tasks came to the
  /// worker, and counts stolen tasks. `done` is the reported range that contains it.
  void AddRecords(WorkerId worker, CompletedRange& done, IndexRange range,
                  const model::ResultRecord& prototype, Commit& commit);
  /// Runs of tasks that others have completed: so long these workers had run them for nothing.
  void MeasureUnfinished(const std::vector<TaskLedger::Holding>& others, Instant now);
  void CancelElsewhere(const std::vector<TaskLedger::Holding>& others);
  /// Ends the leases of the task and stops its runs: it is withheld.
  void StopRuns(model::TaskIndex index, Instant now);
  void ApplyFailed(WorkerId worker, FailedTask failed, Instant now, Commit& commit);
  void ApplyLostRunner(WorkerId worker, FailedTask failed, Instant now, Commit& commit);
  /// The task was alone when its container ended.
  void ChargeLostRunner(WorkerId worker, FailedTask failed, Instant now, Commit& commit);
  /// Counts a failed attempt of a withheld task, or of one that is leased again.
  void CountFailure(FailedTask failed, WorkerId worker, Instant now, Commit& commit);

  Parts parts_;
  bool idempotent_;
  std::vector<IndexRange> open_parts_;  // scratch space of ApplyCompleted
};

}  // namespace evenkeel::engine
