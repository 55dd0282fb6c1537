#include "core/engine/retry_book.h"

#include <algorithm>

namespace evenkeel::engine {

std::int32_t RetryBook::CountFailure(model::TaskIndex index) { return ++failures_[index]; }

void RetryBook::TryLater(Waiting task, std::int32_t failures, Instant now) {
  const Duration longest = std::chrono::seconds(60);
  Duration pause = std::chrono::milliseconds(100);
  for (std::int32_t n = 1; n < failures && pause < longest; ++n) pause *= 2;
  waiting_.emplace(now + std::min(pause, longest), task);
  waiting_tasks_.Insert({task.index, task.index + 1});
}

std::vector<RetryBook::Waiting> RetryBook::TakeDue(Instant now) {
  std::vector<Waiting> due;
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const Waiting task = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    if (!waiting_tasks_.Contains(task.index)) continue;  // completed in the meantime
    waiting_tasks_.Erase({task.index, task.index + 1});
    due.push_back(task);
  }
  return due;
}

Instant RetryBook::NextDue() const { return waiting_.empty() ? kNever : waiting_.begin()->first; }

void RetryBook::Forget(model::IndexRange range) { waiting_tasks_.Erase(range); }

}  // namespace evenkeel::engine
