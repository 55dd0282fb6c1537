#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "core/scheduling/tail_stealing/finish_predictor.h"

namespace evenkeel::scheduling {

/// Finds stragglers: tasks that run for much longer than expected; and decides on
/// speculative copies, of stragglers while there is other work, and of any late task at the end.
/// Not thread-safe.
class StragglerDetector {
 public:
  /// The arguments outlive the detector.
  StragglerDetector(const StrategyContext& context, const ReservedPool& pool,
                    const FinishPredictor& predictor, const BalancingGoal& goal)
      : context_(context), pool_(pool), predictor_(predictor), goal_(goal) {}

  void AddWorkers(std::size_t count) { marked_.resize(marked_.size() + count); }
  /// The copies of the round before are in the leases now.
  void BeginRound() { just_copied_.Clear(); }
  /// Marks a worker that is late if it runs a straggler. True if it was not marked before.
  bool Mark(WorkerId worker, Instant now);
  /// The worker is marked and still runs a straggler.
  [[nodiscard]] bool RunsStraggler(WorkerId worker, Instant now) const {
    return marked_[worker.value] && StragglesFor(worker, now);
  }
  /// The copy for an idle worker that saves most time, if any does. Looks at the 256 workers with
  /// the latest predicted times. A search that finds no copy for a worker stands for a while for
  /// all workers that are no faster.
  [[nodiscard]] std::optional<CopyDecision> SpeculateOnTail(WorkerId idle, Instant now);
  /// Copies on connected workers that are not expected to save anything, because another run of the
  /// task ends before; at most so many. A first run of another task is worth more. O(workers).
  [[nodiscard]] std::vector<DropCopiesDecision> CopiesToDrop(std::int64_t most, Instant now) const;
  /// A copy while there is other work.
  struct CopyAhead {
    CopyDecision copy;
    WorkerId victim;  ///< the worker of the original
  };
  /// Decides on a copy for a fast worker that wants work. The caller should recall the tasks that
  /// wait behind the original. A search without success stands as in SpeculateOnTail.
  [[nodiscard]] std::optional<CopyAhead> SpeculateAhead(WorkerId worker, Instant now);

 private:
  /// Copies the longest running straggler, if that would outlast all reserved work.
  [[nodiscard]] std::optional<CopyAhead> SpeculateOnStraggler(WorkerId worker, Instant now);
  /// Copies a task that is at least as large as all reserved ones, and may run for so long that it
  /// would outlast them: its turn is now, as if it had not started (largest first; Graham, "Bounds
  /// on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969). Compares the expected
  /// time by which the job would end later if the copy were made last, with the time that the copy
  /// costs all workers together.
  [[nodiscard]] std::optional<CopyAhead> SpeculateOnMisplaced(WorkerId worker, Instant now);
  /// A worker whose tasks may be copied.
  struct Victim {
    WorkerId worker;
    FinishPredictor::RunningTasks running;
    bool some_wait = false;              ///< it has more tasks than threads
    model::IndexRange newest_waiting{};  ///< the newest of those that have no copy
  };
  /// Tasks to be copied, and the seconds by which they would end earlier if they went on for longer
  /// than expected; not above 0: it is not worth it.
  struct Saving {
    model::IndexRange tasks;
    double seconds = 0;
  };
  /// A copy that is expected to save nothing, but does if the worker of the original has stopped or
  /// become slow without a sign of it. Better ones have fewer copies beside them, then a worker
  /// that is later than predicted, then a longer task.
  struct Insurance {
    model::IndexRange task;
    std::size_t copies = 0;
    double lateness = 0;  ///< time so far / predicted time of the task
    double seconds = 0;   ///< that the task still takes
    [[nodiscard]] bool BetterThan(const Insurance& other) const {
      if (other.task.Empty()) return true;
      if (copies != other.copies) return copies < other.copies;
      return lateness != other.lateness ? lateness > other.lateness : seconds > other.seconds;
    }
  };
  /// Until `until`, a copy saves nothing at a worker whose threads are no faster than
  /// `thread_rate`.
  struct NothingToCopy {
    double thread_rate = 0;
    Instant until{};
    [[nodiscard]] bool Holds(double rate, Instant now) const {
      return now < until && rate <= thread_rate;
    }
    /// A search found nothing; it stands for a part of the time that is left.
    void Remember(double rate, Instant now, Duration left);
  };
  [[nodiscard]] Victim WorkOf(WorkerId worker, Instant now) const;
  void Insure(const Victim& victim, WorkerId idle, Instant now, Insurance& best) const;
  /// The copies of the task that are not late and that the idle worker would not soon overtake.
  [[nodiscard]] std::size_t CopiesInTime(model::TaskIndex task, WorkerId idle, Instant now) const;
  [[nodiscard]] bool MayCopy() const;
  [[nodiscard]] bool MayCopyFor(model::IndexRange task, WorkerId victim, WorkerId idle) const;
  /// Expected seconds until the copy ends, by the cost of the task as its other runs show it, and
  /// by the time that the copy itself has run.
  [[nodiscard]] double RunEndsIn(WorkerId holder, model::TaskIndex task, double cost,
                                 Instant now) const;
  /// A copy of the task is within what Speculation::kBounded allows.
  [[nodiscard]] bool WithinBound(model::IndexRange tasks) const;
  void NoteCopy(model::IndexRange tasks);
  [[nodiscard]] Saving SavingByCopy(const Victim& victim, WorkerId idle, Instant now) const;
  [[nodiscard]] Saving SavingByCopyOfWaiting(const Victim& victim, WorkerId idle,
                                             Instant now) const;
  /// For a worker without a connection, which may never come back: each idle thread copies a part
  /// of the tasks without a copy.
  [[nodiscard]] Saving SavingByCopyOfAway(WorkerId victim, WorkerId idle, Instant now) const;
  /// A further copy of a task that has copies on slower workers. Without any copy, the victim would
  /// end its tasks in the time `alone`.
  [[nodiscard]] Saving SavingByBetterCopy(WorkerId victim, WorkerId idle, Duration alone,
                                          Instant now) const;
  /// Seconds by which a copy by `idle` ends before the task of that cost does otherwise: in
  /// `seconds`, or earlier by one of the copies that it has.
  [[nodiscard]] double SecondsSavedBesideCopies(model::TaskIndex task, double cost, double seconds,
                                                WorkerId idle, Instant now) const;
  [[nodiscard]] double SecondsSaved(const FinishPredictor::Running& running, WorkerId idle,
                                    Instant now) const;
  /// For how long the worker has run a straggler; nothing if it runs none.
  [[nodiscard]] std::optional<Duration> StragglesFor(WorkerId worker, Instant now) const;
  [[nodiscard]] std::optional<WorkerId> LongestStraggler(Instant now);
  [[nodiscard]] double FastestThreadRate(Instant now);
  /// Seconds that copies cost the job if it is to end up to `saved` seconds before `latest`: a copy
  /// of each task that would end within that time. Counts from the latest on, until the copies so
  /// far save more than they cost.
  [[nodiscard]] double CostOfCopies(Instant latest, double saved, double seconds_each) const;

  const StrategyContext& context_;
  const ReservedPool& pool_;
  const FinishPredictor& predictor_;
  const BalancingGoal& goal_;
  std::vector<bool> marked_;
  std::deque<WorkerId> stragglers_;  // the marked workers
  NothingToCopy nothing_at_tail_;
  NothingToCopy nothing_ahead_;
  double fastest_ = 0;  // rate of a thread, as last computed
  Instant fastest_until_{};
  model::RangeSet just_copied_;  // in this round of decisions
  model::Cost copied_cost_ = 0;  // of all copies so far
};

}  // namespace evenkeel::scheduling
