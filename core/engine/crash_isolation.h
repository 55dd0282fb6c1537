#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/model/range_set.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// The extent of a worker's death.
enum class Death {
  kProcess,  ///< its process alone: the next one is of the same boot of the node
  kNode,     ///< the node, which has booted anew
};

/// Finds tasks that kill what runs them: the worker's process, or its whole node. The coordinator
/// cannot see which of a worker's tasks were running when it died, so each death points at all
/// tasks that the worker had leased. A task that two deaths of processes or three of nodes point at
/// is a suspect. Suspects are withheld from the strategy and run alone: one range on a worker that
/// has nothing else. If that run ends without a result because its worker cannot be reached any
/// more, the range is halved, until it has one task, which is charged with a failed attempt for
/// each death but the first restart of a node. A death is known when the next process of the node
/// connects.
///
/// A task that kills each time is alone after at most 4 + ceil(log2(n)) known deaths, where n is
/// the number of tasks in the range with which it became a suspect: 4 are one of a process, two of
/// nodes, and the one that decides. One more charges nothing. Deaths that are not known yet come on
/// top, twice at most one of each other worker: until it is a suspect, and while it is alone.
///
/// Nodes lose their power for reasons of their own, all of a rack at once or one with a bad power
/// supply again and again. That must not condemn the tasks they had. So three deaths of nodes are
/// needed, and few tasks stay without a result for so long. The first restart of a node while the
/// task is alone may be one of these, too; it charges nothing. And a suspect runs alone on a node
/// that has died least often: a node that keeps restarting by itself is not asked while another one
/// is there, and the task is cleared by its result.
///
/// Tasks that ran out of memory are suspects of their own kind: they run alone on a given worker.
/// Memory grows with the number of ranges in doubt. Not thread-safe.
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
  /// A worker died with these tasks leased. Returns the tasks that become suspects by that.
  [[nodiscard]] std::vector<IndexRange> RecordDeath(const std::vector<IndexRange>& leased,
                                                    Death death);
  /// The node restarted while it ran this task alone. Returns whether that had happened to the task
  /// before.
  [[nodiscard]] bool RecordRestartAlone(model::TaskIndex index);
  /// The task ran out of memory: it is a suspect, and waits for a run alone on that worker.
  void IsolateAt(WorkerId worker, model::TaskIndex index);
  /// The tasks of the range are no suspects any more: they have a result, or a failure that the
  /// process lived to report, or have failed for good.
  void Clear(IndexRange range);
  [[nodiscard]] const model::RangeSet& Suspects() const { return suspects_; }
  /// The worker's node has booted anew; it had not been told to.
  void NoteReboot(WorkerId worker) { ++workers_[worker.value].reboots; }
  [[nodiscard]] std::int32_t Reboots(WorkerId worker) const {
    return workers_[worker.value].reboots;
  }

  // Runs in isolation.

  /// Withheld suspects wait for their run. No task is enqueued twice.
  void Enqueue(IndexRange range) { waiting_.push_back({range, {}}); }
  /// As Enqueue, for suspects whose lease at `from` ended: in halves, if it ran them alone and
  /// cannot be reached. It need not be known yet whether it died; other workers may run them before
  /// it is.
  void EnqueueAgain(WorkerId from, IndexRange range);
  /// A range that waits to run alone.
  struct Waiting {
    IndexRange range;
    std::optional<WorkerId> at;  ///< nothing: on any worker
  };
  /// Number of ranges that wait.
  [[nodiscard]] std::size_t WaitingCount();
  /// The first range that waits; nothing if none does.
  [[nodiscard]] std::optional<Waiting> First();
  /// The first range that may run on the worker, of which TakeNext would return a part; nothing if
  /// none waits for it.
  [[nodiscard]] std::optional<Waiting> Next(WorkerId worker);
  /// The next range to run alone on the worker, without parts that were cleared meanwhile; nothing
  /// if none waits for it.
  [[nodiscard]] std::optional<IndexRange> TakeNext(WorkerId worker);
  /// Ranges that wait for this worker may run on any: it is lost.
  void ReleaseFrom(WorkerId worker);

  /// The worker gets no other work until Free.
  void Reserve(WorkerId worker);
  void Run(WorkerId worker, IndexRange range) { workers_[worker.value].isolated = range; }
  void Free(WorkerId worker);
  /// The worker runs this task alone.
  [[nodiscard]] bool IsAlone(WorkerId worker, model::TaskIndex index) const {
    return workers_[worker.value].isolated == IndexRange{index, index + 1};
  }
  [[nodiscard]] bool IsReserved(WorkerId worker) const { return workers_[worker.value].reserved; }
  /// The range that the worker was last given to run alone; empty if it is free.
  [[nodiscard]] IndexRange RunningAlone(WorkerId worker) const {
    return workers_[worker.value].isolated;
  }
  /// Reserved workers in the order of their reservation.
  [[nodiscard]] const std::vector<WorkerId>& Reserved() const { return reserved_; }

 private:
  /// Drops ranges without suspects, and returns the first other one that may run on the worker.
  [[nodiscard]] std::deque<Waiting>::iterator Find(WorkerId worker);

  struct Worker {
    bool reserved = false;
    std::int32_t reboots = 0;
    IndexRange isolated;
    Loss loss;
  };
  std::vector<Worker> workers_;
  std::vector<WorkerId> reserved_;
  // The tasks at which one death of that kind or more points, two or more, and so on.
  std::array<model::RangeSet, 1> by_processes_;
  std::array<model::RangeSet, 2> by_nodes_;
  model::RangeSet suspects_;
  model::RangeSet restarted_alone_;  // suspects
  std::deque<Waiting> waiting_;
};

}  // namespace evenkeel::engine
