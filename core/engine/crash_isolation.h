#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/model/range_set.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// Finds tasks that kill the worker process that runs them. The coordinator cannot see which of a
/// worker's tasks were running when its process died, so each death points at all tasks that the
/// process had leased. A task that two deaths point at is a suspect. Suspects are withheld from the
/// strategy and run alone: one range on a worker that has nothing else. If the process dies
/// meanwhile, the range is halved, until it has one task, which is charged with a failed attempt.
/// A task that kills its process each time is alone after at most 2 + ceil(log2(n)) known deaths,
/// where n is the number of tasks in the range with which it became a suspect. A process that is
/// gone counts as dead when another one of the same boot of the same node connects: a node that
/// lost its power points at nothing. Memory grows with the number of ranges in doubt. Not
/// thread-safe.
class CrashIsolation {
 public:
  using IndexRange = model::IndexRange;
  using WorkerId = scheduling::WorkerId;

  /// The leases of a worker's process when it was last seen.
  struct Loss {
    std::vector<IndexRange> leased;
    IndexRange isolated;  ///< the range that it ran alone; empty if none
  };

  /// The next worker; numbers are dense.
  void AddWorker() { workers_.emplace_back(); }

  // Deaths.

  /// The leases of the worker end because its process cannot be reached.
  void NoteUnreachable(WorkerId worker, std::vector<IndexRange> leased);
  /// Takes what NoteUnreachable noted: the process has died, is back, or has left in good order.
  [[nodiscard]] Loss TakeLoss(WorkerId worker);
  /// A process died with these tasks leased. Returns the tasks that become suspects by that.
  [[nodiscard]] std::vector<IndexRange> RecordDeath(const std::vector<IndexRange>& leased);
  /// The tasks of the range are no suspects any more: they have a result, or a failure that the
  /// process lived to report, or have failed for good.
  void Clear(IndexRange range);
  [[nodiscard]] const model::RangeSet& Suspects() const { return suspects_; }

  // Runs in isolation.

  /// Withheld suspects wait for their run. No task is enqueued twice.
  void Enqueue(IndexRange range) { waiting_.push_back(range); }
  /// A process died while it ran the range alone; if the range waits again, its halves do instead.
  void Halve(IndexRange range);
  /// Number of ranges that wait.
  [[nodiscard]] std::size_t WaitingCount();
  /// The range that TakeNext would return a part of; nothing if none waits.
  [[nodiscard]] std::optional<IndexRange> Next();
  /// The next range to run alone, without parts that were cleared meanwhile; nothing if none waits.
  [[nodiscard]] std::optional<IndexRange> TakeNext();

  /// The worker gets no other work until Free.
  void Reserve(WorkerId worker);
  void Run(WorkerId worker, IndexRange range) { workers_[worker.value].isolated = range; }
  void Free(WorkerId worker);
  [[nodiscard]] bool IsReserved(WorkerId worker) const { return workers_[worker.value].reserved; }
  /// Reserved workers in the order of their reservation.
  [[nodiscard]] const std::vector<WorkerId>& Reserved() const { return reserved_; }

 private:
  struct Worker {
    bool reserved = false;
    IndexRange isolated;
    Loss loss;
  };
  std::vector<Worker> workers_;
  std::vector<WorkerId> reserved_;
  model::RangeSet pointed_at_;  // by one death or more
  model::RangeSet suspects_;    // by two or more
  std::deque<IndexRange> waiting_;
};

}  // namespace evenkeel::engine
