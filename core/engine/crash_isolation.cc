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
  restarted_alone_.Erase(range);
}

bool CrashIsolation::RecordRestartAlone(model::TaskIndex index) {
  const bool before = restarted_alone_.Contains(index);
  restarted_alone_.Insert({index, index + 1});
  return before;
}

void CrashIsolation::IsolateAt(WorkerId worker, model::TaskIndex index) {
  const IndexRange one{index, index + 1};
  suspects_.Insert(one);
  waiting_.push_back({one, worker});
}

void CrashIsolation::EnqueueAgain(WorkerId from, IndexRange range) {
  const model::TaskIndex middle = range.begin + range.Size() / 2;
  const bool ran_alone = model::Intersect(workers_[from.value].loss.isolated, range) == range;
  if (!ran_alone || middle == range.begin) return Enqueue(range);
  Enqueue({range.begin, middle});
  Enqueue({middle, range.end});
}

std::size_t CrashIsolation::WaitingCount() {
  std::erase_if(waiting_, [this](const Waiting& one) { return !suspects_.Overlaps(one.range); });
  return waiting_.size();
}

std::optional<CrashIsolation::Waiting> CrashIsolation::First() {
  if (WaitingCount() == 0) return std::nullopt;
  return waiting_.front();
}

std::deque<CrashIsolation::Waiting>::iterator CrashIsolation::Find(WorkerId worker) {
  static_cast<void>(WaitingCount());
  return std::find_if(waiting_.begin(), waiting_.end(), [worker](const Waiting& one) {
    return !one.at || one.at->value == worker.value;
  });
}

std::optional<CrashIsolation::Waiting> CrashIsolation::Next(WorkerId worker) {
  const auto found = Find(worker);
  if (found == waiting_.end()) return std::nullopt;
  return *found;
}

std::optional<IndexRange> CrashIsolation::TakeNext(WorkerId worker) {
  const auto found = Find(worker);
  if (found == waiting_.end()) return std::nullopt;
  const auto at = found->at;
  const auto parts = suspects_.Within(found->range);
  auto rest = waiting_.erase(found);
  for (std::size_t i = parts.size(); i-- > 1;) rest = waiting_.insert(rest, {parts[i], at});
  return parts.front();
}

void CrashIsolation::ReleaseFrom(WorkerId worker) {
  for (Waiting& one : waiting_) {
    if (one.at && one.at->value == worker.value) one.at.reset();
  }
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
