#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/commit_queue.h"
#include "core/engine/completion_policy.h"
#include "core/engine/coordinator_config.h"
#include "core/engine/crash_isolation.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/effects.h"
#include "core/engine/job_ending.h"
#include "core/engine/lease_reclaimer.h"
#include "core/engine/lost_runners.h"
#include "core/engine/membership.h"
#include "core/engine/node_exclusion.h"
#include "core/engine/progress.h"
#include "core/engine/progress_reporter.h"
#include "core/engine/result_intake.h"
#include "core/engine/retry_policy.h"
#include "core/engine/run_statistics.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"
#include "core/engine/withheld_placement.h"
#include "core/engine/worker_lifecycle.h"
#include "core/scheduling/data_holders.h"
#include "core/scheduling/node_links.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// The coordinator of a job as a state machine without I/O: (event, now) -> effects. It routes
/// events to its parts, has leases decided after each, and ends the job. Not thread-safe; `now`
/// never decreases. Neither copied nor moved, because the parts refer to each other.
class Coordinator {
 public:
  explicit Coordinator(CoordinatorConfig config);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  /// Call once, before anything else.
  [[nodiscard]] Effects Start(Instant now);
  /// A message on a stream; the first one on each must be a Hello.
  [[nodiscard]] Effects OnMessage(StreamId stream, ToCoordinator message, Instant now);
  /// A message on the stream has arrived and is not handled yet: its worker's lease is renewed.
  void OnHeard(StreamId stream, Instant now);
  [[nodiscard]] Effects OnStreamClosed(StreamId stream, Instant now);
  /// All batches up to this one are durable.
  [[nodiscard]] Effects OnDurable(BatchId batch, Instant now);
  /// The journal cannot be written: the job stops, and tasks without an acknowledged result run
  /// again later.
  [[nodiscard]] Effects OnJournalFailed(const std::string& reason, Instant now);
  /// The operator reports ends of command containers; the report replaces the one before.
  [[nodiscard]] Effects OnContainerEnds(ContainerEnds ends, Instant now);
  /// The job has more tasks, which the journal knows already.
  [[nodiscard]] Effects OnGrown(GrownJob grown, Instant now);
  /// The job's active deadline has passed: it fails at once.
  [[nodiscard]] Effects OnDeadline(const std::string& reason);
  /// Stops in good order (SIGINT, suspend): nothing new is leased, leased tasks that have not
  /// started are recalled, running tasks may end and report within `grace`; then
  /// EndJob{kInterrupted}. A second call ends at once.
  [[nodiscard]] Effects OnInterrupt(const std::string& reason, Duration grace, Instant now);
  /// The worker of this node has the data of these tasks in its cache, as far as is known. Ignored
  /// if there is no such node.
  [[nodiscard]] Effects OnDataHeld(const std::string& node, const model::RangeSet& tasks,
                                   Instant now);
  /// The coordinator's process stood still for `stalled` until now. Call it after the messages that
  /// waited have been delivered and before OnTimer: no lease and no recall runs out meanwhile.
  void OnStall(Duration stalled, Instant now);
  /// Messages that have arrived may not have been delivered yet: no lease ends before `until`.
  void HoldExpiry(Instant until) { membership_.HoldExpiry(until); }
  /// Call it at NextTimer() at the latest; early calls do no harm.
  [[nodiscard]] Effects OnTimer(Instant now);
  [[nodiscard]] Instant NextTimer() const;

  [[nodiscard]] bool Ended() const { return ending_.Ended(); }
  /// A snapshot for people; O(workers).
  [[nodiscard]] Progress CurrentProgress(Instant now) const { return reporter_.Snapshot(now); }
  /// Timeline events since the last call.
  [[nodiscard]] std::vector<model::TimelineEvent> TakeEvents() { return statistics_.TakeEvents(); }
  /// Stages and masters of the strategy up to now, as timeline events.
  [[nodiscard]] std::vector<model::TimelineEvent> StageEvents(Instant now) const {
    return driver_.StageEvents(now);
  }

  /// Stops the process if the parts contradict each other. O(ranges); tests call it after each
  /// step.
  void CheckInvariants() const;

 private:
  using WorkerId = scheduling::WorkerId;

  void Measure(WorkerId worker, const ToCoordinator& message, Instant now);
  void Apply(WorkerId worker, Report report, Instant now);
  void Apply(WorkerId worker, const GiveBack& given, Instant now);
  void JudgeLostRunners(Instant now);
  void Place(const std::vector<PlacedTasks>& placed);
  void Link(const std::vector<NodeLink>& links);
  void Decide(Instant now);

  std::shared_ptr<model::GrowingCosts> costs_;
  CoordinatorConfig config_;  // its costs are costs_
  scheduling::TimingEstimator estimator_;
  scheduling::DataHolders holders_;
  scheduling::NodeLinks links_;
  // Parts with state of their own.
  TaskLedger ledger_;
  Membership membership_;
  RetryPolicy retries_;
  CrashIsolation isolation_;
  LostRunners lost_runners_;
  CompletionPolicy completion_;
  RunStatistics statistics_;
  EffectOutbox outbox_;
  // Parts that change them; each refers only to those above it.
  DeliveryWatch deliveries_;
  StrategyDriver driver_;
  WorkerRoom room_;
  WithheldPlacement placement_;
  LeaseReclaimer reclaimer_;
  ResultVerification verification_;
  CommitQueue commits_;
  JobEnding ending_;
  ResultIntake intake_;
  WorkerLifecycle lifecycle_;
  NodeExclusion exclusion_;
  ProgressReporter reporter_;
  // Workers of an earlier start may run tasks that must not run twice until their leases are over.
  std::optional<Instant> leases_from_;
};

}  // namespace evenkeel::engine
