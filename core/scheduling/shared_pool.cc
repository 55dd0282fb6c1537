#include "core/scheduling/shared_pool.h"

#include <algorithm>

#include "core/base/check.h"

namespace evenkeel::scheduling {

using model::IndexRange;

void LiveWorkers::Apply(const WorkerEvent& event) {
  switch (event.change) {
    case WorkerChange::kJoined:
      EVENKEEL_CHECK(event.worker.value == Size(), "workers are numbered one after the other");
      return Add(1);
    case WorkerChange::kLost:
      return Set(event.worker, false);
    case WorkerChange::kReturned:
      return Set(event.worker, true);
    case WorkerChange::kUpdated:
    case WorkerChange::kLeased:
    case WorkerChange::kRecallEnded:
    case WorkerChange::kHoldsData:
      return;
  }
}

bool LiveWorkers::AnyAlive() const {
  return std::find(alive_.begin(), alive_.end(), true) != alive_.end();
}

WorkerId LiveWorkers::NextAlive(WorkerId worker) const {
  const auto count = static_cast<std::uint32_t>(alive_.size());
  for (std::uint32_t step = 1; step < count; ++step) {
    const WorkerId next{(worker.value + step) % count};
    if (Alive(next)) return next;
  }
  return worker;
}

void SharedPool::Insert(IndexRange range) {
  EVENKEEL_CHECK(!tasks_.Overlaps(range), "a task twice in the shared pool");
  tasks_.Insert(range);
}

void SharedPool::Insert(const model::RangeSet& tasks) {
  tasks.ForEach([this](IndexRange range) { Insert(range); });
}

std::vector<IndexRange> SharedPool::TakeFirst(std::int64_t count) {
  std::vector<IndexRange> taken;
  while (count > 0 && !tasks_.Empty()) {
    taken.push_back(TakeFirstRange(count));
    count -= taken.back().Size();
  }
  return taken;
}

IndexRange SharedPool::TakeFirstRange(std::int64_t count) {
  const IndexRange front = tasks_.Front();
  const IndexRange part{front.begin, front.begin + std::min(front.Size(), count)};
  tasks_.Erase(part);
  return part;
}

}  // namespace evenkeel::scheduling
