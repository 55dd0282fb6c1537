#pragma once

#include <cstdint>

#include "core/scheduling/tail_stealing/finish_predictor.h"

namespace evenkeel::scheduling {

/// How much work a worker has leased ahead of need: a window of time, so that it has tasks while a
/// report and its answer are under way, and that shrinks towards the end of the job. Without
/// credit, one task per thread. Has no state of its own.
class CreditWindow {
 public:
  /// The arguments outlive the window.
  CreditWindow(const StrategyContext& context, const ReservedPool& pool, FinishPredictor& predictor)
      : context_(context), pool_(pool), predictor_(predictor) {}

  /// For how long the worker has work ahead of need.
  [[nodiscard]] Duration Length(WorkerId worker) const;
  /// Leased tasks that a worker has, however long they take: one per thread, and another one that
  /// waits behind it if it would still end by the finish level, or if its data take time.
  [[nodiscard]] std::int64_t LeastTasks(WorkerId worker, Instant now) const;
  /// A message carries one task, so that a task does not wait for the data of those behind it:
  /// while it is not known how long data take, and where they take longer than a message or than
  /// the worker needs for a task.
  [[nodiscard]] bool SendsOneByOne(WorkerId worker) const;
  /// Less than half of the window is left. False while the first tasks of a worker are measured.
  [[nodiscard]] bool NeedsRefill(WorkerId worker, Instant now) const;
  /// Leased tasks wait behind others that take much longer than messages, and could as well wait at
  /// the coordinator, where it is still open who runs them.
  [[nodiscard]] bool WaitInVain(WorkerId worker, Instant now) const;
  /// When to ask WaitInVain again for a worker of which nothing was measured but the round trip: at
  /// times that double. Nothing if no task waits.
  [[nodiscard]] std::optional<Instant> NextLookAtFirstTask(WorkerId worker, Instant now) const;
  /// Cost that fills the window; before anything was measured, that of a probe.
  [[nodiscard]] model::Cost Budget(WorkerId worker, Instant now) const;

 private:
  [[nodiscard]] bool Credit() const { return context_.balancing.tail_stealing.credit; }

  /// Tasks have data that take time to get, and that a worker gets while other tasks run.
  [[nodiscard]] bool DataTravel() const { return context_.data_fetched_ahead; }
  /// Time of a task on all threads of the worker together.
  [[nodiscard]] Duration ComputingTime(WorkerId worker) const;
  /// When the worker's first task was sent; nothing if one has ended, or if it is not known how
  /// long a report takes.
  [[nodiscard]] std::optional<Instant> FirstTaskStart(WorkerId worker) const;
  /// Time from there to the first check of the tasks that wait behind it.
  [[nodiscard]] Duration FirstLook(WorkerId worker) const;
  /// Nothing was reported although a result has had much time to arrive.
  [[nodiscard]] bool FirstTaskIsLate(WorkerId worker, Instant now) const;
  /// A task that the worker runs takes much longer than a message.
  [[nodiscard]] bool RunsLongTask(WorkerId worker, Instant now) const;
  /// A task that the worker starts when it has run what it has leased ends by the finish level.
  [[nodiscard]] bool AnotherEndsInTime(WorkerId worker, Instant now) const;

  const StrategyContext& context_;
  const ReservedPool& pool_;
  FinishPredictor& predictor_;
};

}  // namespace evenkeel::scheduling
