#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/engine/messages.h"
#include "core/model/range_set.h"

namespace evenkeel::engine {

/// Leased tasks at the worker that have not started, in the order in which they will start. Counts
/// them, so that a question about their number costs nothing. Not thread-safe.
class GrantQueue {
 public:
  /// Appends the grant; tasks that failed before go first, because no other worker may take them.
  void Add(Grant grant);
  /// Puts tasks back that were taken and not started.
  void PutBack(Grant grant);

  /// Removes up to `max_tasks` tasks of the first grant; the queue must not be empty.
  [[nodiscard]] Grant TakeFirst(std::int64_t max_tasks);
  /// Removes up to `max_tasks` tasks from the end, last grant first. Copies stay; so do tasks that
  /// failed before, unless `failed_before`.
  [[nodiscard]] std::vector<Grant> TakeLast(std::int64_t max_tasks, bool failed_before);
  [[nodiscard]] std::vector<Grant> TakeAll();
  /// Removes these tasks of the grants up to `last`; 0: of all.
  void Remove(const model::RangeSet& tasks, GrantId last);

  [[nodiscard]] bool Empty() const { return grants_.empty(); }
  [[nodiscard]] std::int64_t Tasks() const { return tasks_; }
  [[nodiscard]] const std::deque<Grant>& Grants() const { return grants_; }

 private:
  std::deque<Grant> grants_;  // none of them empty
  std::int64_t tasks_ = 0;    // of all of them
};

}  // namespace evenkeel::engine
