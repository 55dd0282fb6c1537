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
#include "core/engine/effects.h"
#include "core/engine/eta_spread.h"
#include "core/engine/lease_book.h"
#include "core/engine/progress.h"
#include "core/engine/retry_book.h"
#include "core/engine/stream_table.h"
#include "core/model/job_spec.h"
#include "core/scheduling/strategy.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// A worker that is expected to connect.
struct ExpectedNode {
  std::string name;
  double ratio = 1.0;  ///< weight relative to the others, >= 0
  std::optional<model::NodePower> power{};
  bool left_out = false;  ///< could take part, but gets no worker, to save energy
  /// What earlier jobs make expect: units a second of the whole worker, > 0, and the standard
  /// deviation of that relative to it, > 0.
  std::optional<double> rate = std::nullopt;
  std::optional<double> sigma = std::nullopt;
};

/// Tasks that are at a node of the job before anybody runs them.
struct PlacedTasks {
  model::IndexRange range;
  std::string node;
};

/// Two nodes that tasks get from one to the other of, so many a second (> 0).
struct NodeLink {
  std::string one;
  std::string other;
  double tasks_per_second = 1;
};

/// The input of each task, always the same; empty if tasks have none.
using InputOf = std::function<std::string(model::TaskIndex)>;

struct CoordinatorConfig {
  model::JobSpec job;
  std::shared_ptr<const model::CostModel> costs;  ///< what the scheduler may know
  std::uint32_t workload_version = 1;
  std::uint64_t epoch = 1;                     ///< of this start, from the journal
  std::string token;                           ///< every Hello must carry it; empty: any
  std::vector<ExpectedNode> nodes;             ///< in the order of the node file; at least one
  bool admit_unexpected = true;                ///< nodes that are not listed may join
  model::RangeSet completed;                   ///< durable already, from the journal
  std::vector<model::FailureRecord> failures;  ///< likewise; their records are not needed
  InputOf input_of;
  std::optional<Instant> started;  ///< of the command, if that was before Start
  Duration active_before{};        ///< the job's time line so far, from the journal
  Duration report_interval = std::chrono::seconds(1);
  Duration round_trip = std::chrono::milliseconds(1);
  std::uint64_t seed = 1;  ///< for strategies that draw
  /// When this start ends before the job does, workers are not told to finish: their streams just
  /// end, and they wait for the next start. For workers that are started by somebody else.
  bool keep_workers = false;
  std::vector<PlacedTasks> placed{};  ///< of all tasks that there are; others are nowhere
  std::vector<NodeLink> links{};      ///< if any, only those nodes are neighbours
};

/// A job after tasks were appended: what there was is as it was.
struct GrownJob {
  std::shared_ptr<const model::CostModel> costs;  ///< of all tasks
  InputOf input_of;                               ///< likewise
  std::string workload_parameters;                ///< for workers that come from now on
  std::vector<PlacedTasks> placed{};              ///< of those that are new
};

/// The coordinator as a state machine without I/O: (event, now) -> effects. Owns the index space,
/// grants, expires and takes back leases, counts each result once and acknowledges it when it is
/// durable. What goes to whom is the strategy's to decide. Not thread-safe; `now` never decreases.
class Coordinator {
 public:
  explicit Coordinator(CoordinatorConfig config);

  /// Once, first of all.
  [[nodiscard]] Effects Start(Instant now);
  /// A message on a stream; the first one on each must be a Hello.
  [[nodiscard]] Effects OnMessage(StreamId stream, ToCoordinator message, Instant now);
  [[nodiscard]] Effects OnStreamClosed(StreamId stream, Instant now);
  /// All batches up to this one are durable.
  [[nodiscard]] Effects OnDurable(BatchId batch, Instant now);
  /// The journal cannot be written: the job stops; what was not acknowledged is run again later.
  [[nodiscard]] Effects OnJournalFailed(const std::string& reason, Instant now);
  /// The job has more tasks. That it has is durable already.
  [[nodiscard]] Effects OnGrown(GrownJob grown, Instant now);
  /// The job has been active for as long as it may be: it fails, at once.
  [[nodiscard]] Effects OnDeadline(const std::string& reason);
  /// Stop in good order (SIGINT, suspend): nothing new is granted, what has not started goes back,
  /// running tasks may end and report within `grace`; then EndJob{kInterrupted}. A second call ends
  /// at once.
  [[nodiscard]] Effects OnInterrupt(const std::string& reason, Duration grace, Instant now);
  /// Extends all leases by `stalled`, a time before `now` in which no message could be received. To
  /// be called before OnTimer.
  void OnStall(Duration stalled, Instant now);
  /// To be called at NextTimer() at the latest; early calls do no harm.
  [[nodiscard]] Effects OnTimer(Instant now);
  [[nodiscard]] Instant NextTimer() const;

  [[nodiscard]] bool Ended() const { return ended_; }
  /// What people want to see; O(workers).
  [[nodiscard]] Progress CurrentProgress(Instant now) const;
  /// Timeline events since the last call.
  [[nodiscard]] std::vector<model::TimelineEvent> TakeEvents();
  /// Stages and masters of the strategy up to now, as timeline events.
  [[nodiscard]] std::vector<model::TimelineEvent> StageEvents(Instant now) const;

  /// Checks invariant 1: each index is in exactly one place. O(ranges); tests call it after each
  /// step.
  void CheckInvariants() const;

 private:
  using WorkerId = scheduling::WorkerId;
  struct Recalled {
    RecallId id;
    Instant lapses;
  };
  struct Node {
    std::string name;
    double ratio = 1.0;
    std::string incarnation;
    std::vector<std::string> replaced;  // incarnations whose place others took, the latest few
    std::optional<StreamId> stream;
    bool lost = false;
    bool given_up = false;  // away for too long for others to wait; not lost before its lease ends
    std::uint64_t heard = 0;  // reports on this stream
    std::optional<Recalled> recall;
    NodeProgress tally;
    double ran_cost = 0;     // of all tasks it completed, whether their results counted or not
    double ran_seconds = 0;  // what they took, over all threads
  };
  struct Prediction {
    Duration left;
    Duration sigma;
  };
  /// One message a worker, in the order in which the strategy first decided for each.
  struct Assigns {
    std::vector<std::pair<StreamId, Assign>> in_order;
    std::map<StreamId, std::size_t> places;
    [[nodiscard]] Assign& For(StreamId stream);
  };
  struct AckNote {
    WorkerId worker;
    StreamId stream;
    std::vector<model::IndexRange> ranges;  // all that the report brought, new or not
    std::int64_t tasks = 0;                 // that are new
    std::int64_t wanted = 0;                // those of the success policy among them
    std::int64_t given_up = 0;              // failed for good
    std::string fails_job;                  // why, if one of its failures does
    Duration ended{};                       // of the last of them
  };

  // coordinator_growth.cc: where tasks are. Nodes that are not expected are nowhere.
  void Place(const std::vector<PlacedTasks>& placed);
  void Connect(const std::vector<NodeLink>& links);

  // coordinator_membership.cc: who is there.
  void AddExpectedNodes();
  void AddNode(const ExpectedNode& node);
  void Admit(StreamId stream, const Hello& hello, Instant now, Effects& effects);
  [[nodiscard]] std::string WhyRefused(const Hello& hello) const;
  [[nodiscard]] bool TakesNoMoreNodes() const;
  [[nodiscard]] double MeanRatio() const;
  [[nodiscard]] WorkerId FindOrAddNode(const Hello& hello, Instant now);
  static void Replace(Node& node, const std::string& incarnation);
  void Reattach(WorkerId worker, const Hello& hello, Instant now);
  void CancelStale(WorkerId worker, const Hello& hello, Effects& effects);
  void Lose(WorkerId worker, const std::string& why, Instant now, Effects& effects);
  /// What it has goes to others.
  void GiveUp(WorkerId worker, Instant now);
  void ReturnLeases(WorkerId worker, scheduling::ReturnCause cause, Instant now);
  /// Tasks that were leased are free again: the strategy's, or those of the retries.
  void TakeBack(WorkerId from, model::IndexRange free, scheduling::ReturnCause cause, Instant now);
  void Heard(WorkerId worker, Instant now);
  void ExpireLeases(Instant now, Effects& effects);
  /// How long a worker whose stream is closed keeps its leases, if tasks may run twice.
  [[nodiscard]] Duration Patience() const;
  /// When the first leases end, by silence or by absence.
  [[nodiscard]] Instant NextExpiry() const;

  // coordinator_results.cc: what is done.
  void Apply(WorkerId worker, Report report, Instant now, Effects& effects);
  [[nodiscard]] bool Sound(const Report& report) const;
  void Measure(WorkerId worker, const Report& report);
  /// The parts that count if they are completed now.
  [[nodiscard]] std::vector<model::IndexRange> FreshParts(model::IndexRange range) const;
  void ApplyCompleted(WorkerId worker, CompletedRange done, Instant now, Persist& persist,
                      AckNote& ack, Effects& effects);
  /// Cuts `part` where tasks change between planned and stolen, and counts the stolen ones.
  [[nodiscard]] std::vector<std::pair<model::IndexRange, model::RunKind>> Kinds(
      WorkerId worker, bool copy, model::IndexRange part);
  void CancelElsewhere(const std::vector<OwnerMap::Piece>& others, Effects& effects);
  void ApplyFailed(WorkerId worker, FailedTask failed, Instant now, Persist& persist, AckNote& ack);
  void Apply(WorkerId worker, const GiveBack& given, Instant now);
  void EndIfOver(Effects& effects);
  void EndWhenAllIsRun(Effects& effects);
  [[nodiscard]] std::string TooManyFailed() const;
  /// The job is over: its workers are told to finish.
  void End(model::JobState state, const std::string& reason, Effects& effects);
  /// This start is over, the job is not.
  void Break(EndJob end, Effects& effects);

  // coordinator_retries.cc: what failed before, and what policies say of it.
  [[nodiscard]] static std::string WhyJobFails(model::TaskIndex index, const std::string& node,
                                               std::optional<std::int32_t> exit_code);
  void Remember(const std::vector<model::FailureRecord>& failures, Instant now);
  void PlaceRetries(Instant now, Effects& effects);
  /// Where the task is tried next, among those that have room; nothing if it has to wait.
  [[nodiscard]] std::optional<WorkerId> PlaceFor(model::TaskIndex index,
                                                 const std::vector<WorkerId>& with_room,
                                                 Instant now) const;
  [[nodiscard]] std::vector<WorkerId> WithRoom(Instant now) const;
  [[nodiscard]] bool HasRoom(WorkerId worker, Instant now) const;
  [[nodiscard]] Instant Ready(WorkerId worker, Instant now) const;
  /// A living node has not failed the task.
  [[nodiscard]] bool SomebodyIsFresh(model::TaskIndex index) const;
  /// Tasks of `range` that the success policy asks for.
  [[nodiscard]] std::int64_t Wanted(model::IndexRange range) const;
  [[nodiscard]] std::int64_t WantedCount() const;
  [[nodiscard]] bool SuccessPolicyMet() const;

  // coordinator.cc: what happens next.
  void Decide(Instant now, Effects& effects);
  void Carry(const scheduling::Decision& decision, Instant now, Assigns& assigns, Effects& effects);
  [[nodiscard]] Grant MakeGrant(GrantId id, model::IndexRange range, bool copy) const;
  void LapseRecalls(Instant now);
  void EndIfDrained(Instant now, Effects& effects);
  void NoteEta(Instant now);
  /// When the job will end, from now; nothing while no worker is there or none was measured.
  /// O(workers).
  [[nodiscard]] std::optional<Prediction> PredictEnd(Instant now) const;
  [[nodiscard]] static double MeanRate(const Node& node);
  void Send(StreamId stream, ToWorker message, Effects& effects);
  [[nodiscard]] Duration JobTime(Instant at) const { return config_.active_before + (at - start_); }
  [[nodiscard]] Node& At(WorkerId worker) { return nodes_[worker.value]; }
  [[nodiscard]] const Node& At(WorkerId worker) const { return nodes_[worker.value]; }
  void Note(model::TimelineEvent::Kind kind, const std::string& node, Instant at,
            const std::string& detail);

  std::shared_ptr<model::GrowingCosts> costs_;
  CoordinatorConfig config_;  // its costs are costs_
  scheduling::TimingEstimator estimator_;
  LeaseBook leases_;
  scheduling::TaskPlaces places_;
  std::unique_ptr<scheduling::Strategy> strategy_;
  std::vector<Node> nodes_;
  std::map<std::string, WorkerId> by_name_;
  StreamTable streams_;
  AgeList silent_;  // since when each worker was not heard; its leases end after a lease
  AgeList away_;    // since when its stream is closed, of idempotent jobs: after Patience()
  std::map<Instant, std::vector<WorkerId>> recall_lapses_;
  model::RangeSet completed_;  // results that count, durable or about to be
  model::Cost completed_cost_ = 0;
  std::int64_t durable_ = 0;
  std::int64_t durable_failed_ = 0;
  model::RangeSet wanted_;  // by the success policy: all tasks unless it names some
  std::int64_t durable_wanted_ = 0;
  std::string fails_job_;    // durable: why the job fails at once
  bool ends_early_ = false;  // the success policy is met: what is not on its way is left
  RetryBook retries_;
  std::map<BatchId, AckNote> unacknowledged_;
  std::vector<model::TimelineEvent> events_;
  Instant start_{};
  std::optional<Instant> first_task_;
  Duration last_durable_{};
  Duration eta_noted_{};
  EtaSpread eta_spread_;
  std::uint64_t next_grant_ = 1;
  std::uint64_t next_recall_ = 1;
  std::uint64_t next_batch_ = 1;
  std::int64_t messages_ = 0;
  double wasted_seconds_ = 0;
  model::MoveCounts moves_;
  std::int64_t recalls_failed_ = 0;
  std::optional<Instant> drain_until_;
  std::string drain_reason_;
  // Workers of an earlier start may run tasks that must not run twice until their leases are over.
  std::optional<Instant> grants_from_;
  bool ended_ = false;
};

}  // namespace evenkeel::engine
