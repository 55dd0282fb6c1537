#include "core/engine/crash_isolation.h"

#include <algorithm>
#include <utility>

namespace evenkeel::engine {

using model::IndexRange;
using scheduling::WorkerId;

namespace {

/// `pointed_at[k]` has the tasks that were pointed at more than k times. Points at the range once
/// more. Returns the parts of it that were in the last set.
template <std::size_t kTimes>
std::vector<IndexRange> PointAt(IndexRange range, std::array<model::RangeSet, kTimes>& pointed_at) {
  std::vector<IndexRange> often{range};
  for (model::RangeSet& set : pointed_at) {
    std::vector<IndexRange> again;
    for (const IndexRange part : often) {
      const auto within = set.Within(part);
      again.insert(again.end(), within.begin(), within.end());
      set.Insert(part);
    }
    often = std::move(again);
  }
  return often;
}

}  // namespace

void CrashIsolation::NoteUnreachable(WorkerId worker, std::vector<IndexRange> leased) {
  Worker& state = workers_[worker.value];
  state.loss = {std::move(leased), state.isolated};
}

CrashIsolation::Loss CrashIsolation::TakeLoss(WorkerId worker) {
  return std::exchange(workers_[worker.value].loss, {});
}

std::vector<IndexRange> CrashIsolation::RecordDeath(const std::vector<IndexRange>& leased,
                                                    Death death) {
  std::vector<IndexRange> found;
  for (const IndexRange range : leased) {
    const auto often =
        death == Death::kProcess ? PointAt(range, by_processes_) : PointAt(range, by_nodes_);
    for (const IndexRange part : often) {
      for (const IndexRange suspect : suspects_.Missing(part)) found.push_back(suspect);
      suspects_.Insert(part);
    }
  }
  return found;
}

void CrashIsolation::Clear(IndexRange range) {
  for (model::RangeSet& set : by_processes_) set.Erase(range);
  for (model::RangeSet& set : by_nodes_) set.Erase(range);
  suspects_.Erase(range);
}

void CrashIsolation::EnqueueAgain(WorkerId from, IndexRange range) {
  const model::TaskIndex middle = range.begin + range.Size() / 2;
  const bool ran_alone = model::Intersect(workers_[from.value].loss.isolated, range) == range;
  if (!ran_alone || middle == range.begin) return Enqueue(range);
  Enqueue({range.begin, middle});
  Enqueue({middle, range.end});
}

std::size_t CrashIsolation::WaitingCount() {
  while (!waiting_.empty() && !suspects_.Overlaps(waiting_.front())) waiting_.pop_front();
  return waiting_.size();
}

std::optional<IndexRange> CrashIsolation::Next() {
  if (WaitingCount() == 0) return std::nullopt;
  return waiting_.front();
}

std::optional<IndexRange> CrashIsolation::TakeNext() {
  if (WaitingCount() == 0) return std::nullopt;
  const auto parts = suspects_.Within(waiting_.front());
  waiting_.pop_front();
  for (std::size_t i = parts.size(); i-- > 1;) waiting_.push_front(parts[i]);
  return parts.front();
}

void CrashIsolation::Reserve(WorkerId worker) {
  workers_[worker.value].reserved = true;
  reserved_.push_back(worker);
}

void CrashIsolation::Free(WorkerId worker) {
  workers_[worker.value].reserved = false;
  workers_[worker.value].isolated = {};
  std::erase(reserved_, worker);
}

}  // namespace evenkeel::engine
