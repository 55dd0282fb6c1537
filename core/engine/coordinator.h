#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/age_list.h"
#include "core/engine/completion_policy.h"
#include "core/engine/crash_isolation.h"
#include "core/engine/effects.h"
#include "core/engine/membership.h"
#include "core/engine/progress.h"
#include "core/engine/retry_policy.h"
#include "core/engine/run_statistics.h"
#include "core/engine/task_ledger.h"
#include "core/model/job_spec.h"
#include "core/scheduling/strategy.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// A worker that is expected to connect.
struct ExpectedNode {
  std::string name;
  double ratio = 1.0;  ///< weight relative to the others, >= 0
  std::optional<model::NodePower> power{};
  bool left_out = false;  ///< eligible, but gets no worker, to save energy
  /// Expected from earlier jobs: work units per second of the whole worker, > 0, and the relative
  /// standard deviation of that, > 0.
  std::optional<double> rate = std::nullopt;
  std::optional<double> sigma = std::nullopt;
};

/// Tasks whose data is at a node of the job before they run.
struct PlacedTasks {
  model::IndexRange range;
  std::string node;
};

/// A link between two nodes, over which tasks can be transferred in both directions.
struct NodeLink {
  std::string one;
  std::string other;
  double tasks_per_second = 1;  ///< > 0, in each direction
};

/// Returns the input of a task, always the same one; null if tasks have none.
using InputOf = std::function<std::string(model::TaskIndex)>;

struct CoordinatorConfig {
  model::JobSpec job;
  std::shared_ptr<const model::CostModel> costs;  ///< what the scheduler may know
  std::uint32_t workload_version = 1;
  std::uint64_t epoch = 1;                     ///< of this start, from the journal
  std::string token;                           ///< every Hello must carry it; empty: any
  std::vector<ExpectedNode> nodes;             ///< in the order of the node file; at least one
  bool admit_unexpected = true;                ///< nodes that are not listed may join
  model::RangeSet completed;                   ///< durable results, from the journal
  std::vector<model::FailureRecord> failures;  ///< from the journal; their records are not needed
  InputOf input_of;
  std::optional<Instant> started;  ///< when the command started, if that was before Start
  Duration active_before{};        ///< length of the job's time line so far, from the journal
  Duration report_interval = std::chrono::seconds(1);
  Duration round_trip = std::chrono::milliseconds(1);
  scheduling::StrategyFactory make_strategy = scheduling::MakeStrategy;
  std::uint64_t seed = 1;  ///< for randomized strategies
  /// When this start ends before the job does, streams are closed without a Finish, and workers
  /// wait for the next start. For workers whose life is not this process's to decide.
  bool keep_workers = false;
  std::vector<PlacedTasks> placed{};  ///< tasks that are listed nowhere have no place
  std::vector<NodeLink> links{};      ///< if any, only linked nodes are neighbors
};

/// A job after tasks were appended. The earlier tasks are unchanged.
struct GrownJob {
  std::shared_ptr<const model::CostModel> costs;  ///< of all tasks
  InputOf input_of;                               ///< of all tasks
  std::string workload_parameters;                ///< for workers that connect from now on
  std::vector<PlacedTasks> placed{};              ///< of the new tasks
};

/// The coordinator of a job as a state machine without I/O: (event, now) -> effects. It routes
/// events to its parts, asks the strategy for decisions, and applies them to the task ledger: every
/// result counts once and is acknowledged when it is durable. Not thread-safe; `now` never
/// decreases. Neither copied nor moved, because the strategy refers to its parts.
class Coordinator {
 public:
  explicit Coordinator(CoordinatorConfig config);
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;

  /// Call once, before anything else.
  [[nodiscard]] Effects Start(Instant now);
  /// A message on a stream; the first one on each must be a Hello.
  [[nodiscard]] Effects OnMessage(StreamId stream, ToCoordinator message, Instant now);
  [[nodiscard]] Effects OnStreamClosed(StreamId stream, Instant now);
  /// All batches up to this one are durable.
  [[nodiscard]] Effects OnDurable(BatchId batch, Instant now);
  /// The journal cannot be written: the job stops, and tasks without an acknowledged result run
  /// again later.
  [[nodiscard]] Effects OnJournalFailed(const std::string& reason, Instant now);
  /// The job has more tasks, which the journal knows already.
  [[nodiscard]] Effects OnGrown(GrownJob grown, Instant now);
  /// The job's active deadline has passed: it fails at once.
  [[nodiscard]] Effects OnDeadline(const std::string& reason);
  /// Stops in good order (SIGINT, suspend): nothing new is leased, leased tasks that have not
  /// started are recalled, running tasks may end and report within `grace`; then
  /// EndJob{kInterrupted}. A second call ends at once.
  [[nodiscard]] Effects OnInterrupt(const std::string& reason, Duration grace, Instant now);
  /// The coordinator's process stood still for `stalled` until now. Call it after the messages that
  /// waited have been delivered and before OnTimer: no lease and no recall runs out meanwhile.
  void OnStall(Duration stalled, Instant now);
  /// Call it at NextTimer() at the latest; early calls do no harm.
  [[nodiscard]] Effects OnTimer(Instant now);
  [[nodiscard]] Instant NextTimer() const;

  [[nodiscard]] bool Ended() const { return ended_; }
  /// A snapshot for people; O(workers).
  [[nodiscard]] Progress CurrentProgress(Instant now) const;
  /// Timeline events since the last call.
  [[nodiscard]] std::vector<model::TimelineEvent> TakeEvents() { return statistics_.TakeEvents(); }
  /// Stages and masters of the strategy up to now, as timeline events.
  [[nodiscard]] std::vector<model::TimelineEvent> StageEvents(Instant now) const;

  /// Stops the process if the parts contradict each other. O(ranges); tests call it after each
  /// step.
  void CheckInvariants() const;

 private:
  using WorkerId = scheduling::WorkerId;

  /// A recall that a worker has not answered.
  struct PendingRecall {
    RecallId id;
    std::optional<WorkerId> thief;
  };
  /// One Assign per stream, in the order in which streams were first assigned to.
  struct Assigns {
    std::vector<std::pair<StreamId, Assign>> in_order;
    std::map<StreamId, std::size_t> places;
    [[nodiscard]] Assign& For(StreamId stream);
  };
  /// Results and failures that are on their way to the disk.
  struct PendingCommit {
    WorkerId worker{};
    StreamId stream{};                         // 0: no acknowledgement is due
    std::vector<model::IndexRange> reported;   // to be acknowledged, new or not
    std::vector<model::IndexRange> completed;  // new
    CompletionPolicy::Batch batch;
    Duration ended{};  // job time at which the last task ended
  };
  struct Prediction {
    Duration left;
    Duration sigma;
  };

  // Setup.
  WorkerId AddNode(const ExpectedNode& node, Instant now);
  void RestoreFailures(const std::vector<model::FailureRecord>& failures, Instant now);
  void Place(const std::vector<PlacedTasks>& placed);
  void Link(const std::vector<NodeLink>& links);

  // Streams and leases.
  void Admit(StreamId stream, const Hello& hello, Instant now, Effects& effects);
  [[nodiscard]] WorkerId FindOrAddNode(const Hello& hello, Instant now);
  void AttachProcess(WorkerId worker, const Hello& hello, Instant now, Effects& effects);
  /// The same process is back: tasks that it does not hold any more are released.
  void ReleaseNotHeld(WorkerId worker, const Hello& hello, Instant now);
  void CancelStale(WorkerId worker, const Hello& hello, Effects& effects);
  void Lose(WorkerId worker, const std::string& why, bool in_good_order, Instant now,
            Effects& effects);
  void GiveTasksToOthers(WorkerId worker, bool in_good_order, Instant now);
  void ReturnLeases(WorkerId worker, scheduling::ReturnCause cause, Instant now);
  void TakeBack(WorkerId from, const TaskLedger::Released& released, scheduling::ReturnCause cause,
                Instant now);
  void ExpireLeases(Instant now, Effects& effects);
  void ExpireRecalls(Instant now);
  void SetAvailability(WorkerId worker);

  // Results.
  void Apply(WorkerId worker, Report report, Instant now, Effects& effects);
  void Apply(WorkerId worker, const GiveBack& given, Instant now);
  [[nodiscard]] bool IsValid(const Report& report) const;
  void Measure(WorkerId worker, const Report& report);
  void ApplyCompleted(WorkerId worker, CompletedRange done, Instant now, Persist& persist,
                      PendingCommit& commit, Effects& effects);
  /// Adds records of the range to `persist`, one for each way in which its tasks came to the
  /// worker, and counts stolen tasks. `done` is the reported range that contains it.
  void AddRecords(WorkerId worker, CompletedRange& done, model::IndexRange range,
                  const model::ResultRecord& prototype, Persist& persist);
  void ApplyFailed(WorkerId worker, FailedTask failed, Instant now, Persist& persist,
                   PendingCommit& commit);
  /// Counts a failed attempt of a withheld task.
  void CountFailure(FailedTask failed, const std::string& node, Instant now, Persist& persist,
                    PendingCommit& commit);
  void Commit(Persist persist, PendingCommit commit, Effects& effects);
  void CancelElsewhere(const std::vector<TaskLedger::Holding>& others, Effects& effects);

  // Tasks that kill their worker process.
  void ExplainLoss(WorkerId worker, bool died, Instant now, Effects& effects);
  void PlaceSuspects(Instant now, Effects& effects);
  void ReserveForSuspects(Instant now, Effects& effects);

  // Decisions.
  void Decide(Instant now, Effects& effects);
  void Execute(const scheduling::Decision& decision, Instant now, Assigns& assigns,
               Effects& effects);
  void PlaceRetries(Instant now, Effects& effects);
  void LeaseRetry(model::TaskIndex index, WorkerId worker, Instant now, Assigns& assigns);
  /// The worker with room on which the task would end first; nothing if the task has to wait.
  [[nodiscard]] std::optional<WorkerId> PlaceFor(model::TaskIndex index,
                                                 const std::vector<WorkerId>& with_room,
                                                 Instant now) const;
  [[nodiscard]] bool MayRetryAt(model::TaskIndex index, WorkerId worker) const;
  /// Some node that is not lost has not failed the task.
  [[nodiscard]] bool AnyUntriedNode(model::TaskIndex index) const;
  [[nodiscard]] std::vector<WorkerId> WorkersWithRoom(Instant now) const;
  [[nodiscard]] bool HasRoom(WorkerId worker, Instant now) const;
  /// When the worker will have run what it has leased.
  [[nodiscard]] Instant ReadyTime(WorkerId worker, Instant now) const;
  /// Something changed at the worker, for the strategy and for retries.
  void Touch(WorkerId worker, Instant now);
  [[nodiscard]] Grant MakeGrant(model::IndexRange range, bool copy);
  void RecallAll(StreamId stream, Effects& effects);
  void Send(StreamId stream, ToWorker message, Effects& effects);
  /// Sends and takes what is in `assigns`.
  void SendAll(Assigns& assigns, Effects& effects);
  void RecordPrediction(Instant now);
  /// When the job will end; nothing while no worker is connected or measured. O(workers).
  [[nodiscard]] std::optional<Prediction> PredictEnd(Instant now) const;

  // The end.
  void EndIfOver(Effects& effects);
  void EndIfDrained(Instant now, Effects& effects);
  /// The job is over.
  void End(model::JobState state, const std::string& reason, Effects& effects);
  /// This start of the coordinator is over, the job is not.
  void Break(EndJob end, Effects& effects);

  std::shared_ptr<model::GrowingCosts> costs_;
  CoordinatorConfig config_;  // its costs are costs_
  scheduling::TimingEstimator estimator_;
  TaskLedger ledger_;
  Membership membership_;
  RetryPolicy retries_;
  CrashIsolation isolation_;
  CompletionPolicy completion_;
  RunStatistics statistics_;
  scheduling::TaskPlaces places_;
  std::unique_ptr<scheduling::Strategy> strategy_;  // refers to the estimator, ledger and places
  std::map<WorkerId, PendingRecall> recalls_;
  AgeList recalled_since_;  // of recalls_
  std::map<BatchId, PendingCommit> commits_;
  std::vector<WorkerId> touched_;              // since retries were last placed
  std::vector<model::IndexRange> open_parts_;  // scratch space of ApplyCompleted
  model::Cost completed_cost_ = 0;
  std::uint64_t next_grant_ = 1;
  std::uint64_t next_recall_ = 1;
  std::uint64_t next_batch_ = 1;
  // Workers of an earlier start may run tasks that must not run twice until their leases are over.
  std::optional<Instant> leases_from_;
  bool ended_ = false;
};

}  // namespace evenkeel::engine
