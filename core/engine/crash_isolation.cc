#include "core/engine/crash_isolation.h"

#include <algorithm>
#include <utility>

namespace evenkeel::engine {

using model::IndexRange;
using scheduling::WorkerId;

void CrashIsolation::NoteUnreachable(WorkerId worker, std::vector<IndexRange> leased) {
  Worker& state = workers_[worker.value];
  state.loss = {std::move(leased), state.isolated};
}

CrashIsolation::Loss CrashIsolation::TakeLoss(WorkerId worker) {
  return std::exchange(workers_[worker.value].loss, {});
}

std::vector<IndexRange> CrashIsolation::RecordDeath(const std::vector<IndexRange>& leased) {
  std::vector<IndexRange> found;
  for (const IndexRange range : leased) {
    for (const IndexRange again : pointed_at_.Within(range)) {
      for (const IndexRange suspect : suspects_.Missing(again)) found.push_back(suspect);
      suspects_.Insert(again);
    }
    pointed_at_.Insert(range);
  }
  return found;
}

void CrashIsolation::Clear(IndexRange range) {
  if (pointed_at_.Empty()) return;
  pointed_at_.Erase(range);
  suspects_.Erase(range);
}

void CrashIsolation::Halve(IndexRange range) {
  const auto entry = std::find(waiting_.begin(), waiting_.end(), range);
  if (entry == waiting_.end() || range.Size() < 2) return;
  const model::TaskIndex middle = range.begin + range.Size() / 2;
  *entry = {range.begin, middle};
  waiting_.push_back({middle, range.end});
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
