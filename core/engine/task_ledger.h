#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/engine/messages.h"
#include "core/model/cost_model.h"
#include "core/model/range_set.h"
#include "core/scheduling/lease_view.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// The state of a task. Each task of a job is in exactly one of these.
enum class TaskState : std::uint8_t {
  kUnassigned,  ///< free; the strategy may lease it
  kReserved,    ///< free, and reserved by the strategy for one worker
  kLeased,      ///< sent to a worker under a grant
  kWithheld,    ///< waits for a retry or for a run in isolation; the engine leases it, no strategy
  kCompleted,   ///< has a result that counts and is not durable yet
  kDurable,     ///< has a durable result
  kFailed,      ///< failed for good
};
inline constexpr std::size_t kTaskStates = 7;

/// The task has no result yet and has not failed for good.
[[nodiscard]] constexpr bool IsOpen(TaskState state) {
  return state != TaskState::kCompleted && state != TaskState::kDurable &&
         state != TaskState::kFailed;
}
/// Whether the strategy may lease a task in this state.
[[nodiscard]] constexpr bool IsFree(TaskState state) {
  return state == TaskState::kUnassigned || state == TaskState::kReserved;
}

/// The only owner of every task's state, kept by ranges. Named transitions move tasks from state to
/// state. Each checks where its tasks come from and stops the process if the transition is illegal,
/// because the caller has to refuse illegal input before. A leased task may have speculative copies
/// at other workers, one at each, and a task with a result may have checks: second runs whose
/// results are compared with it. Memory grows with the number of ranges, not of tasks; a
/// transition takes O(log ranges) plus the ranges it touches. Not thread-safe.
class TaskLedger final : public scheduling::LeaseView, public scheduling::ReservationLedger {
 public:
  using WorkerId = scheduling::WorkerId;
  using IndexRange = model::IndexRange;

  /// Part of a lease or of a speculative copy.
  struct Holding {
    IndexRange range;
    WorkerId worker;
    GrantId grant;
    friend bool operator==(const Holding&, const Holding&) = default;
  };
  /// Result of completing a range.
  struct Completion {
    std::vector<Holding> others;  ///< leases and copies of other workers, which are over
    bool from_strategy = false;   ///< part of the range was free: notify the strategy
  };
  /// Tasks whose lease is over without a result.
  struct Released {
    std::vector<IndexRange> unassigned;  ///< for the strategy
    std::vector<IndexRange> withheld;    ///< for the retry policy or for the quarantine
  };
  /// A check that ended without an outcome.
  struct DroppedCheck {
    model::TaskIndex index = 0;
    bool lost = false;  ///< with its worker; false: given back
    friend bool operator==(const DroppedCheck&, const DroppedCheck&) = default;
  };
  /// Where a task was whose run has failed.
  enum class FailedFrom {
    kIgnored,   ///< another worker runs it, or it is over: the failure does not count
    kLease,     ///< leased under the grant of the failure
    kFree,      ///< notify the strategy that the task is gone
    kWithheld,  ///< it waited already
  };

  /// All tasks of `costs` are unassigned. `costs` must outlive the ledger.
  explicit TaskLedger(const model::CostModel& costs);

  /// The next worker; numbers are dense.
  void AddWorker();
  /// Whether strategies may lease to the worker.
  void SetAvailable(WorkerId worker, bool available) {
    workers_[worker.value].available = available;
  }
  /// The cost model has grown: the tasks behind the last one are unassigned.
  void Append();

  // Transitions of tasks, all of them of every index in the range.

  /// Unassigned to durable: known from the journal.
  void RestoreDurable(IndexRange range);
  /// Free to reserved for the worker. The first reservation of a task is its plan.
  void Reserve(IndexRange range, WorkerId worker) override;
  /// Reserved to unassigned.
  void Unreserve(IndexRange range) override;
  /// Unassigned, or reserved for this worker, to leased.
  void Lease(IndexRange range, WorkerId worker, GrantId grant, Instant now);
  /// Withheld to leased. Nobody may copy it, and it is withheld again if the lease ends.
  void LeaseWithheld(IndexRange range, WorkerId worker, GrantId grant, Instant now);
  /// The leased range gets a copy at a worker that has neither the lease nor a copy of any of it.
  void LeaseCopy(IndexRange range, WorkerId worker, GrantId grant, Instant now);
  /// Nobody may copy the leased parts of the range any more, whichever copy inherits their leases.
  void ForbidCopies(IndexRange range);
  /// Any state before completion to completed, by a result of worker `by`.
  Completion Complete(IndexRange range, WorkerId by);
  /// Completed to durable.
  void MarkDurable(IndexRange range);
  /// Free to withheld.
  void Withhold(IndexRange range);
  /// Withheld to unassigned.
  void EndWithholding(IndexRange range);
  /// Withheld to failed.
  void GiveUp(IndexRange range);
  /// Ends the worker's leases within the range: those under `grant`, or all if it is null. Tasks
  /// that have copies stay leased, to the worker that has run a copy for the longest time.
  Released Release(WorkerId worker, IndexRange range, const GrantId* grant);
  /// Ends all leases and copies of the worker.
  Released ReleaseAll(WorkerId worker);
  /// The worker does not run these copies any more.
  void DropCopies(WorkerId worker, IndexRange range);
  /// The completed or durable task runs a second time, at a worker that does not run it yet. A
  /// check changes no state; it counts as the worker's outstanding task.
  void LeaseCheck(model::TaskIndex index, WorkerId worker, Instant now);
  /// The worker's checks within the range have ended with an outcome.
  void EndChecks(WorkerId worker, IndexRange range);
  /// The worker's checks within the range have ended without an outcome.
  void DropChecks(WorkerId worker, IndexRange range, bool lost);
  /// The checks that were dropped since the last call.
  [[nodiscard]] std::vector<DroppedCheck> TakeDroppedChecks() {
    return std::exchange(dropped_checks_, {});
  }
  /// Completed or durable to unassigned: the results do not count any more. Nobody may check them.
  void Revoke(IndexRange range);
  /// A run of the task under that grant failed at the worker. The task is withheld afterwards,
  /// unless the failure is ignored; then no copy of it is made from now on.
  FailedFrom FailRun(model::TaskIndex index, WorkerId worker, GrantId grant);
  /// The worker reports that it runs these tasks, perhaps beside some that started just now.
  void NoteRunning(WorkerId worker, std::vector<scheduling::RunningTask> running) {
    workers_[worker.value].running = std::move(running);
  }
  /// The worker has ended a task at `ended` and works on its next one since then.
  void NoteWorked(WorkerId worker, Instant ended);

  // States.

  [[nodiscard]] std::int64_t TaskCount() const { return end_; }
  /// Number of tasks in the state.
  [[nodiscard]] std::int64_t Count(TaskState state) const {
    return counts_[static_cast<std::size_t>(state)];
  }
  [[nodiscard]] TaskState StateOf(model::TaskIndex index) const;
  /// Number and cost of the tasks reserved for the worker.
  [[nodiscard]] std::int64_t ReservedTasks(WorkerId worker) const {
    return workers_[worker.value].reserved_tasks;
  }
  [[nodiscard]] model::Cost ReservedCost(WorkerId worker) const {
    return workers_[worker.value].reserved_cost;
  }
  /// The worker for which a task was first reserved, if any; the same is true of all tasks up to
  /// `until`.
  struct PlannedRun {
    std::optional<WorkerId> worker;
    model::TaskIndex until = 0;
  };
  [[nodiscard]] PlannedRun PlanOf(model::TaskIndex index) const;
  /// Cost of the tasks first reserved for the worker.
  [[nodiscard]] model::Cost PlannedCost(WorkerId worker) const {
    return workers_[worker.value].planned_cost;
  }
  /// Tasks that failed for good.
  [[nodiscard]] const model::RangeSet& Failed() const { return failed_; }
  /// Calls visit(IndexRange, TaskState) for the parts of the range in order, adjacent parts of one
  /// state possibly apart. `visit` must not change the ledger.
  template <typename Visit>
  void ForEachState(IndexRange range, const Visit& visit) const {
    ForEach(range, [&](IndexRange part, const Segment& segment) { visit(part, segment.state); });
  }
  /// Calls visit(const Holding&) for each leased part of the range, as ForEachState.
  template <typename Visit>
  void ForEachLease(IndexRange range, const Visit& visit) const {
    ForEach(range, [&](IndexRange part, const Segment& segment) {
      if (segment.state == TaskState::kLeased) visit(Holding{part, segment.worker, segment.grant});
    });
  }
  /// The parts of the range that a result would complete, i.e. of open tasks, go to `parts`.
  void CollectOpen(IndexRange range, std::vector<IndexRange>& parts) const;

  /// Tasks that the worker runs a second time.
  [[nodiscard]] const model::RangeSet& Checks(WorkerId worker) const {
    return workers_[worker.value].checks;
  }

  // scheduling::LeaseView
  [[nodiscard]] const model::RangeSet& Leased(WorkerId worker) const override {
    return workers_[worker.value].leased;
  }
  [[nodiscard]] const model::RangeSet& Copies(WorkerId worker) const override {
    return workers_[worker.value].copies;
  }
  [[nodiscard]] model::Cost OutstandingCost(WorkerId worker) const override {
    return workers_[worker.value].cost;
  }
  [[nodiscard]] std::int64_t OutstandingTasks(WorkerId worker) const override {
    const WorkerTasks& state = workers_[worker.value];
    return state.leased.Size() + state.copies.Size() + state.checks.Size();
  }
  [[nodiscard]] IndexRange NewestUncopied(WorkerId worker,
                                          const model::RangeSet& besides) const override;
  [[nodiscard]] IndexRange OldestLeased(WorkerId worker) const override;
  [[nodiscard]] Instant WorkingSince(WorkerId worker) const override {
    return workers_[worker.value].working_since;
  }
  [[nodiscard]] scheduling::RunningTasks Running(WorkerId worker,
                                                 std::int64_t threads) const override;
  [[nodiscard]] std::optional<Instant> StartOf(WorkerId worker, model::TaskIndex index,
                                               std::int64_t threads) const override;
  [[nodiscard]] bool Connected(WorkerId worker) const override {
    return workers_[worker.value].available;
  }
  [[nodiscard]] const model::RangeSet& Copied() const override { return copied_; }
  [[nodiscard]] std::vector<WorkerId> CopyHolders(model::TaskIndex index) const override;
  [[nodiscard]] const model::RangeSet& NotToBeCopied() const override { return not_to_be_copied_; }

  /// Stops the process if the sums and indexes disagree with the states. O(ranges).
  void CheckInvariants() const;

 private:
  /// A maximal range of tasks in one state; of leased ones, under one grant. It ends where the next
  /// one begins.
  struct Segment {
    TaskState state = TaskState::kUnassigned;
    bool withheld = false;  // a lease of a withheld task
    WorkerId worker{};      // of a reservation or lease
    GrantId grant{};        // of a lease
    [[nodiscard]] bool SameAs(const Segment& other) const {
      return state == other.state && withheld == other.withheld && worker == other.worker &&
             grant == other.grant;
    }
  };
  struct CopyHolder {
    WorkerId worker;
    GrantId grant;
  };
  /// Tasks that have the same copies.
  struct CopiedTasks {
    model::TaskIndex end = 0;
    std::vector<CopyHolder> holders;  // at least one, in the order of their leases
  };
  struct WorkerTasks {
    model::RangeSet leased;
    model::RangeSet copies;
    model::RangeSet checks;
    model::Cost cost = 0;  // of all three
    Instant working_since{};
    // With more threads than this, tasks that waited are taken to have started later than they did.
    static constexpr std::size_t kMostEnds = 8;
    // Of its last tasks, earliest first.
    absl::InlinedVector<Instant, kMostEnds> ends;
    std::vector<scheduling::RunningTask> running;  // as reported last
    struct Received {
      IndexRange range;
      Instant at{};  // when it was leased
    };
    // Leases and copies from while it had few tasks; ended ones are removed now and then.
    std::vector<Received> received;
    std::size_t compact_received_at = 0;
    void AddEnd(Instant end);
    /// When a thread became idle for the task at this place (from 1) of those that the worker runs;
    /// nothing if there was an idle thread from the start.
    [[nodiscard]] std::optional<Instant> EndBefore(std::int64_t place, std::int64_t threads) const;
    /// The task at this place, of which `since` is when it was leased: with its start, if it waited
    /// for a thread.
    [[nodiscard]] scheduling::RunningTask AfterWaiting(const scheduling::RunningTask& task,
                                                       std::int64_t place,
                                                       std::int64_t threads) const;
    [[nodiscard]] std::optional<Instant> ReceivedAt(model::TaskIndex index) const {
      for (auto latest = received.rbegin(); latest != received.rend(); ++latest) {
        if (latest->range.begin <= index && index < latest->range.end) return latest->at;
      }
      return std::nullopt;
    }
    [[nodiscard]] bool Holds(model::TaskIndex index) const {
      return leased.Contains(index) || copies.Contains(index) || checks.Contains(index);
    }
    bool available = false;
    std::int64_t reserved_tasks = 0;
    model::Cost reserved_cost = 0;
    model::Cost planned_cost = 0;
    struct Lease {
      GrantId grant;
      IndexRange range;
    };
    // Leases in the order of their grants; ended ones are removed now and then.
    mutable std::vector<Lease> order;
    std::size_t compact_at = 16;
  };

  struct Plan {
    model::TaskIndex end = 0;
    WorkerId worker;
  };

  template <typename Visit>
  void ForEach(IndexRange range, const Visit& visit) const {
    range = model::Intersect(range, {0, end_});
    if (range.Empty()) return;
    for (auto it = std::prev(segments_.upper_bound(range.begin)); !range.Empty();) {
      const Segment& segment = it->second;
      const model::TaskIndex end = ++it == segments_.end() ? end_ : it->first;
      visit(IndexRange{range.begin, std::min(end, range.end)}, segment);
      range.begin = end;
    }
  }
  /// Checks for Assign: tasks have to be in this state, or in one of the free ones; else the
  /// process stops and names the rule.
  static auto From(TaskState state, const char* rule);
  static auto FromFree(const char* rule);
  /// Moves all tasks of the range into the state of `to`. Calls check(const Segment&) before a
  /// segment changes.
  template <typename Check>
  void Assign(IndexRange range, const Segment& to, const Check& check);
  /// Adds the segment to the sums, or takes it away (`sign` -1).
  void Count(IndexRange range, const Segment& segment, int sign);
  void NotePlan(IndexRange range, WorkerId worker);
  template <typename Check>
  void Lease(IndexRange range, const Segment& to, Instant now, const Check& check);
  enum class Held { kLease, kCopy, kCheck };
  /// The worker's tasks that it holds in this way.
  [[nodiscard]] static model::RangeSet& TasksOf(WorkerTasks& worker, Held held);
  void AddHolding(IndexRange range, WorkerId worker, Held held, Instant now);
  void RemoveHolding(IndexRange range, WorkerId worker, Held held);
  void NoteOrder(WorkerId worker, IndexRange range, GrantId grant);
  /// Takes the copies within the range out and returns them.
  std::vector<Holding> RemoveCopies(IndexRange range);
  /// Makes `at` the beginning of an item of copies_ if it is within one.
  void SplitCopies(model::TaskIndex at);
  void EndLease(const Holding& lease, bool withheld, Released& released);

  const model::CostModel& costs_;
  model::TaskIndex end_ = 0;                               // number of tasks
  absl::btree_map<model::TaskIndex, Segment> segments_;    // they cover all tasks
  absl::btree_map<model::TaskIndex, CopiedTasks> copies_;  // by begin; of leased tasks only
  std::array<std::int64_t, kTaskStates> counts_{};         // tasks in each state
  std::vector<WorkerTasks> workers_;
  absl::btree_map<model::TaskIndex, Plan> plans_;  // by begin; of tasks that were reserved
  model::RangeSet unplanned_;                      // the other tasks
  model::RangeSet failed_;
  std::vector<DroppedCheck> dropped_checks_;
  model::RangeSet not_to_be_copied_;  // leased tasks that failed before, and suspects
  model::RangeSet copied_;            // leased tasks that have copies
};

}  // namespace evenkeel::engine
