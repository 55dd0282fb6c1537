#include "core/engine/grant_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::engine {

void GrantQueue::Add(Grant grant) {
  if (grant.attempt > 0) return PutBack(std::move(grant));
  if (grant.range.Empty()) return;
  tasks_ += grant.range.Size();
  grants_.push_back(std::move(grant));
}

void GrantQueue::PutBack(Grant grant) {
  if (grant.range.Empty()) return;
  tasks_ += grant.range.Size();
  grants_.push_front(std::move(grant));
}

Grant GrantQueue::TakeFirst(std::int64_t max_tasks) {
  EVENKEEL_CHECK(!grants_.empty() && max_tasks > 0, "tasks taken from an empty queue");
  Grant& first = grants_.front();
  const std::int64_t tasks = std::min(max_tasks, first.range.Size());
  tasks_ -= tasks;
  if (tasks == first.range.Size()) {
    Grant taken = std::move(first);
    grants_.pop_front();
    return taken;
  }
  Grant taken = first;
  taken.range.end = taken.range.begin + tasks;
  first.range.begin = taken.range.end;
  return taken;
}

std::vector<Grant> GrantQueue::TakeLast(std::int64_t max_tasks, bool failed_before) {
  std::vector<Grant> taken;
  std::int64_t left = max_tasks;
  for (auto it = grants_.end(); it != grants_.begin() && left > 0;) {
    --it;
    if (it->copy || (it->attempt > 0 && !failed_before)) continue;
    const std::int64_t part = std::min(left, it->range.Size());
    taken.push_back({it->id, {it->range.end - part, it->range.end}, false, 0, {}});
    it->range.end -= part;
    left -= part;
    if (it->range.Empty()) it = grants_.erase(it);
  }
  tasks_ -= max_tasks - left;
  return taken;
}

std::vector<Grant> GrantQueue::TakeAll() {
  std::vector<Grant> taken(std::make_move_iterator(grants_.begin()),
                           std::make_move_iterator(grants_.end()));
  grants_.clear();
  tasks_ = 0;
  return taken;
}

void GrantQueue::Remove(const model::RangeSet& tasks, GrantId last) {
  const std::deque<Grant> before = std::exchange(grants_, {});
  tasks_ = 0;
  for (const Grant& grant : before) {
    if (IsLater(grant.id, last)) {
      tasks_ += grant.range.Size();
      grants_.push_back(grant);
      continue;
    }
    for (const model::IndexRange part : tasks.Missing(grant.range)) {
      tasks_ += part.Size();
      grants_.push_back({grant.id, part, grant.copy, grant.attempt, grant.inputs});
    }
  }
}

}  // namespace evenkeel::engine
