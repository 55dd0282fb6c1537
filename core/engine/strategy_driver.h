#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/engine/delivery_watch.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/membership.h"
#include "core/engine/pending_recalls.h"
#include "core/engine/run_statistics.h"
#include "core/engine/task_ledger.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::engine {

/// The only part of the engine that talks to the strategy: reports events to it, executes its
/// decisions in the ledger and in the outbox, and keeps the recalls and the stages that it decided.
/// The strategy may lease the free tasks of the ledger. Not thread-safe.
class StrategyDriver {
 public:
  using WorkerId = scheduling::WorkerId;
  using IndexRange = model::IndexRange;

  /// All of them outlive the driver.
  struct Parts {
    TaskLedger& ledger;
    const Membership& membership;
    RunStatistics& statistics;
    EffectOutbox& outbox;
    DeliveryWatch& deliveries;
  };

  /// `idempotent`: tasks may run twice, so speculative copies are legal.
  StrategyDriver(std::unique_ptr<scheduling::Strategy> strategy, bool idempotent,
                 const Parts& parts);

  // Events.

  /// Once, before anything else: the members and unassigned tasks are those of now.
  void Start(Instant now);
  /// Unassigned tasks were appended.
  void Append(IndexRange range, Instant now);
  void AddWorker(WorkerId worker, double ratio, Instant now);
  void WorkerLost(WorkerId worker, Instant now);
  void WorkerReturned(WorkerId worker, Instant now) {
    strategy_->OnWorkerEvent({scheduling::WorkerChange::kReturned, worker}, now);
  }
  /// Tasks of an ended lease of that worker are unassigned again.
  void Return(WorkerId from, IndexRange range, scheduling::TaskOrigin origin, Instant now) {
    strategy_->OnTasksAvailable({range, origin, from}, now);
  }
  /// Tasks of the range that were free are not any more.
  void TakeAway(IndexRange range) { strategy_->OnTasksTaken(range); }
  /// Something changed at the worker.
  void Touch(WorkerId worker, Instant now) {
    strategy_->OnWorkerEvent({scheduling::WorkerChange::kUpdated, worker}, now);
  }
  /// The worker has the data of more tasks.
  void HoldsData(WorkerId worker, Instant now) {
    strategy_->OnWorkerEvent({scheduling::WorkerChange::kHoldsData, worker}, now);
  }
  /// The worker gave back so many tasks, in answer to that recall.
  void RecallAnswered(WorkerId worker, RecallId recall, std::int64_t tasks, Instant now);
  void ExpireRecalls(Instant now);
  void ExtendRecalls(Duration stalled, Instant now) { recalls_.Extend(stalled, now); }

  // Decisions.

  /// Asks the strategy and executes what it decides, until it decides nothing more.
  void Decide(Instant now);
  /// Asks the worker for all tasks that it has not started. No recall is pending meanwhile.
  void RecallAll(StreamId stream);
  [[nodiscard]] Instant NextDecision() const { return strategy_->NextDecision(); }
  [[nodiscard]] Instant NextRecallExpiry() const { return recalls_.NextExpiry(); }

  // Predictions and stages.

  [[nodiscard]] std::optional<Instant> PredictedEnd(Instant now) const {
    return strategy_->PredictedEnd(now);
  }
  [[nodiscard]] bool PredictsRuns() const { return strategy_->PredictsRuns(); }
  /// Stages and masters of the strategy up to now.
  [[nodiscard]] std::vector<model::TimelineEvent> StageEvents(Instant now) const;

 private:
  void Execute(const scheduling::GrantDecision& grant, Instant now);
  void Execute(const scheduling::CopyDecision& copy, Instant now);
  void Execute(const scheduling::DropCopiesDecision& drop, Instant now);
  void Execute(const scheduling::RecallDecision& recall, Instant now);
  void Execute(const scheduling::MoveDecision& move, Instant now);
  void Execute(const scheduling::StageDecision& stage, Instant now);
  [[nodiscard]] StreamId StreamOf(WorkerId worker) const;
  void NoteShares();

  std::unique_ptr<scheduling::Strategy> strategy_;
  bool idempotent_;
  Parts parts_;
  PendingRecalls recalls_;
  std::vector<scheduling::StageDecision> stages_;  // to be shown
};

}  // namespace evenkeel::engine
