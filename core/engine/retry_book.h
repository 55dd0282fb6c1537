#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/base/time.h"
#include "core/model/range_set.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::engine {

/// Which tasks failed how often, which wait for their next attempt, which failed for good.
/// Memory grows with the number of failed tasks only. Not thread-safe.
class RetryBook {
 public:
  explicit RetryBook(std::int32_t backoff_limit_per_task) : limit_(backoff_limit_per_task) {}

  struct Waiting {
    model::TaskIndex index;
    scheduling::WorkerId failed_on;
  };

  /// One more attempt failed (or is known to have failed, from the journal). Returns its number,
  /// 1 for the first.
  std::int32_t CountFailure(model::TaskIndex index);
  /// True if no further attempt is allowed after this number of failures.
  [[nodiscard]] bool Exhausted(std::int32_t failures) const { return failures > limit_; }
  void GiveUp(model::TaskIndex index) { failed_.Insert({index, index + 1}); }
  /// Tries again after an exponential pause: 100 ms, 200 ms, 400 ms, ... at most 60 s.
  void TryLater(Waiting task, std::int32_t failures, Instant now);
  /// Those whose pause is over.
  [[nodiscard]] std::vector<Waiting> TakeDue(Instant now);
  [[nodiscard]] Instant NextDue() const;
  /// The task has been completed after all.
  void Forget(model::IndexRange range);

  [[nodiscard]] const model::RangeSet& Failed() const { return failed_; }
  [[nodiscard]] const model::RangeSet& WaitingTasks() const { return waiting_tasks_; }

 private:
  std::int32_t limit_;
  std::unordered_map<model::TaskIndex, std::int32_t> failures_;
  std::multimap<Instant, Waiting> waiting_;
  model::RangeSet waiting_tasks_;
  model::RangeSet failed_;
};

}  // namespace evenkeel::engine
