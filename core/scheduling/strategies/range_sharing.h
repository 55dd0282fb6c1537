#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/range_times.h"
#include "core/scheduling/shared_pool.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// For jobs whose program does a range of consecutive tasks in one run and takes a time to start:
/// each idle thread gets one range, in the order of the indexes. The rest of the job would end
/// at one level, if each thread began one more range when it is ready: the level L with
///
///     sum over threads of (L - ready - a) / b = tasks that are left
///
/// (terms below 0 do not count). A thread gets half of its part of that, so that later measurements
/// correct the rest; all of it once a start of the program would take more than 1/20 of a half; and
/// nothing if its part is less than a task. A worker of which nothing is measured gets 1/32 of its
/// part at first. Where nothing is measured at all, parts go by the weights. Halving is that of
/// factoring (Hummel, Schonberg and Flynn, "Factoring", CACM 35(8), 1992), with unequal workers as
/// in weighted factoring (Hummel et al., SPAA 1996).
///
/// Runs that report their progress are predicted by it, and can be cut: a thread gets all of its
/// part, and when no tasks are left, an idle worker gets the tail of the run that ends last, so
/// many tasks that both end together: (left - a - round trips) / (b of that run + b).
///
/// When there is nothing to cut either, an idle thread runs a copy of the range that ends last, if
/// that one takes twice as long as expected, or if the copy is expected to end before it. First
/// result wins. A decision is O(threads). Used in place of TailStealing, which moves single tasks.
class RangeSharing final : public Strategy {
 public:
  /// context.ranges must be there.
  explicit RangeSharing(const StrategyContext& context)
      : context_(context), bounds_(*context.ranges) {}

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;
  [[nodiscard]] Instant NextDecision() const override { return next_decision_; }
  [[nodiscard]] std::optional<Instant> PredictedEnd(Instant now) const override;
  [[nodiscard]] bool PredictsRuns() const override { return true; }

 private:
  /// A range that a thread runs.
  struct Run {
    model::IndexRange range;
    Instant leased{};
    bool is_copy = false;
    bool is_uncuttable = false;  ///< a recall got nothing of it
    /// Two of its reports, 5 s or more apart: how fast it is now.
    RunningTask before{};
    RunningTask after{};
  };
  struct Worker {
    double ratio = 1;
    std::vector<Run> runs{};                 // those that are still leased
    std::optional<WorkerId> recalled_for{};  // while the recall is not answered
    bool gave_back = false;                  // since it was recalled
  };
  /// A thread as the level counts it: when it is ready for its next range, and its times. Seconds
  /// from now.
  struct Thread {
    WorkerId worker;
    double ready = 0;
    RangeTime time;
  };

  [[nodiscard]] bool Usable(WorkerId worker) const {
    return live_.Alive(worker) && context_.leases.Connected(worker);
  }
  /// The tasks that the worker holds in the way of the run: by lease, or as a copy.
  [[nodiscard]] const model::RangeSet& HeldBy(WorkerId worker, const Run& run) const {
    return run.is_copy ? context_.leases.Copies(worker) : context_.leases.Leased(worker);
  }
  [[nodiscard]] bool AwaitsTasks(WorkerId idle) const;
  /// Drops runs that have ended.
  void Prune(WorkerId worker);
  [[nodiscard]] std::int64_t IdleThreads(WorkerId worker) const;
  /// Measured, or by the weight relative to measured workers; nothing if none is measured.
  [[nodiscard]] std::optional<RangeTime> TimeOf(WorkerId worker) const;
  /// The first task of the run that was not reported as done; nothing if it has reported none.
  [[nodiscard]] std::optional<RunningTask> ProgressOf(WorkerId worker, const Run& run) const;
  /// Keeps the reports of the worker's runs.
  void NoteProgress(WorkerId worker);
  /// Seconds for a task of this run: by its latest progress, by all of it, or by other runs of the
  /// worker.
  [[nodiscard]] double SecondsPerTask(WorkerId worker, const Run& run, const RangeTime& time) const;
  [[nodiscard]] double SecondsToEnd(WorkerId worker, const Run& run, const RangeTime& time,
                                    Instant now) const;
  /// A recall of the tail of the run that ends last, so many tasks that it and the idle worker end
  /// together; nothing if none is worth a start of the program.
  [[nodiscard]] std::optional<RecallDecision> RecallFor(WorkerId idle, Instant now);
  void EndRecall(WorkerId worker);
  [[nodiscard]] std::vector<Thread> Threads(Instant now) const;
  /// Seconds from now to the level at which the threads have done so many tasks.
  [[nodiscard]] static double Level(const std::vector<Thread>& threads, double tasks);
  /// How many tasks an idle thread of the worker gets; 0: none for now. `level` of a worker with
  /// times, seconds from now.
  [[nodiscard]] std::int64_t TasksFor(WorkerId worker, std::optional<double> level) const;
  [[nodiscard]] std::int64_t FirstTasksFor(WorkerId worker) const;
  /// No busy thread would end another task before the idle worker ends one.
  [[nodiscard]] bool IsSoonest(WorkerId idle, Instant now) const;
  /// The range that an idle thread of the worker runs a copy of; nothing if none is worth it by
  /// now, and next_decision_ is the time to look again.
  [[nodiscard]] std::optional<model::IndexRange> RangeToCopy(WorkerId idle, Instant now);
  [[nodiscard]] bool MayBeCopied(const Run& run) const;

  StrategyContext context_;
  model::RangeBounds bounds_;
  SharedPool pool_;
  LiveWorkers live_;
  std::vector<Worker> workers_;
  Instant next_decision_ = kNever;
  bool runs_can_be_cut_ = false;  // some have reported progress
};

}  // namespace evenkeel::scheduling
