#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/engine/age_list.h"
#include "core/engine/messages.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// The recalls that workers have not answered yet, at most one per worker, and when they expire.
/// A worker that is slow to answer is not lost. Numbers of recalls rise and are never used twice.
/// Not thread-safe.
class PendingRecalls {
 public:
  using WorkerId = scheduling::WorkerId;

  /// How long a worker may take to answer.
  static constexpr Duration kTimeout = std::chrono::seconds(2);

  struct Answered {
    std::optional<WorkerId> thief;  ///< the worker that was to get the tasks, if it was known
  };

  /// The number of a recall whose answer is not waited for.
  [[nodiscard]] RecallId NextId() { return RecallId{next_++}; }
  /// A recall is sent now and replaces an earlier one of the worker.
  RecallId Add(WorkerId worker, std::optional<WorkerId> thief, Instant now);
  /// Takes the recall that the worker answers; nothing if that one is not pending any more.
  [[nodiscard]] std::optional<Answered> TakeAnswered(WorkerId worker, RecallId id);
  /// The worker will not answer.
  void Remove(WorkerId worker);
  /// Takes the recalls that have timed out, the oldest first.
  [[nodiscard]] std::vector<WorkerId> TakeExpired(Instant now);
  /// When the next recall expires; kNever if none is pending.
  [[nodiscard]] Instant NextExpiry() const;
  /// The coordinator itself stood still for that long: no recall expires in the meantime.
  void Extend(Duration stalled, Instant now) { since_.Shift(stalled, now); }

 private:
  struct Recall {
    RecallId id;
    std::optional<WorkerId> thief;
  };

  std::map<WorkerId, Recall> recalls_;
  AgeList since_;  // of recalls_
  std::uint64_t next_ = 1;
};

}  // namespace evenkeel::engine
