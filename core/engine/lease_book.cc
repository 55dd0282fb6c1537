#include "core/engine/lease_book.h"

#include <algorithm>

#include "core/base/check.h"

namespace evenkeel::engine {

using model::IndexRange;
using scheduling::WorkerId;

void LeaseBook::AddWorker() { workers_.emplace_back(); }

void LeaseBook::SetConnected(WorkerId worker, bool connected) {
  workers_[worker.value].connected = connected;
}

void LeaseBook::Lease(WorkerId worker, IndexRange range, GrantId grant, Instant now) {
  owners_.Insert({range, worker, grant});
  NoteNewest(worker, range, grant);
  Add(worker, range, false, now);
}

void LeaseBook::LeaseRetry(WorkerId worker, IndexRange range, GrantId grant, Instant now) {
  owners_.Insert({range, worker, grant});
  retried_.Insert(range);
  Add(worker, range, false, now);
}

void LeaseBook::LeaseCopy(WorkerId worker, IndexRange range, GrantId grant, Instant now) {
  for (const auto& piece : owners_.Within(range)) {
    EVENKEEL_CHECK(piece.worker != worker, "a copy beside its own original");
  }
  copies_.Insert({range, worker, grant});
  copied_.Insert(range);
  Add(worker, range, true, now);
}

void LeaseBook::ForbidCopies(IndexRange range) {
  for (const auto& piece : owners_.Within(range)) retried_.Insert(piece.range);
}

std::vector<OwnerMap::Piece> LeaseBook::Complete(IndexRange range, WorkerId by) {
  std::vector<OwnerMap::Piece> others;
  for (const auto& piece : owners_.Remove(range)) {
    Take(piece.worker, piece.range, false);
    if (piece.worker != by) others.push_back(piece);
  }
  for (const auto& piece : copies_.Remove(range)) {
    Take(piece.worker, piece.range, true);
    if (piece.worker != by) others.push_back(piece);
  }
  copied_.Erase(range);
  return others;
}

void LeaseBook::NoteWorked(WorkerId worker, Instant ended) {
  Instant& since = workers_[worker.value].since;
  since = std::max(since, ended);
}

std::vector<IndexRange> LeaseBook::Release(WorkerId worker, IndexRange range,
                                           std::optional<GrantId> grant) {
  std::vector<IndexRange> free;
  for (const auto& piece : owners_.Within(range)) {
    if (piece.worker != worker || (grant && piece.grant != *grant)) continue;
    owners_.Remove(piece.range);
    Take(worker, piece.range, false);
    const auto copies = copies_.Remove(piece.range);
    copied_.Erase(piece.range);
    model::RangeSet rest(piece.range);
    for (const auto& copy : copies) {  // its runner is the owner from now on
      rest.Erase(copy.range);
      Take(copy.worker, copy.range, true);
      const Instant since = workers_[copy.worker.value].since;
      Lease(copy.worker, copy.range, copy.grant, since);
      workers_[copy.worker.value].since = since;
    }
    rest.ForEach([&free](IndexRange part) { free.push_back(part); });
  }
  return free;
}

std::vector<IndexRange> LeaseBook::ReleaseAll(WorkerId worker) {
  for (const IndexRange range : workers_[worker.value].copies.Ranges()) DropCopy(worker, range);
  std::vector<IndexRange> free;
  for (const IndexRange range : workers_[worker.value].leased.Ranges()) {
    const auto part = Release(worker, range, std::nullopt);
    free.insert(free.end(), part.begin(), part.end());
  }
  workers_[worker.value].newest.clear();
  return free;
}

void LeaseBook::DropCopy(WorkerId worker, IndexRange range) {
  for (const auto& piece : copies_.Within(range)) {
    if (piece.worker != worker) continue;
    copies_.Remove(piece.range);
    copied_.Erase(piece.range);
    Take(worker, piece.range, true);
  }
}

IndexRange LeaseBook::NewestLeased(WorkerId worker) const {
  const Worker& state = workers_[worker.value];
  while (!state.newest.empty()) {
    const auto leased = state.leased.Within(state.newest.back().range);
    for (auto range = leased.rbegin(); range != leased.rend(); ++range) {
      const auto open = retried_.Missing(*range);
      if (!open.empty()) return open.back();
    }
    state.newest.pop_back();
  }
  return {};
}

IndexRange LeaseBook::OldestLeased(WorkerId worker) const {
  const Worker& state = workers_[worker.value];
  for (const Grant& grant : state.newest) {
    for (const IndexRange leased : state.leased.Within(grant.range)) {
      const auto open = retried_.Missing(leased);
      if (!open.empty()) return {open.front().begin, open.front().begin + 1};
    }
  }
  return {};
}

void LeaseBook::NoteNewest(WorkerId worker, IndexRange range, GrantId grant) {
  Worker& state = workers_[worker.value];
  if (state.newest.size() >= state.sweep_at) {
    std::erase_if(state.newest,
                  [&state](const Grant& old) { return !state.leased.Overlaps(old.range); });
    state.sweep_at = std::max<std::size_t>(2 * state.newest.size(), 16);
  }
  state.newest.push_back({grant, range, false, 0, {}});
}

void LeaseBook::Add(WorkerId worker, IndexRange range, bool copy, Instant now) {
  Worker& state = workers_[worker.value];
  if (OutstandingTasks(worker) == 0) state.since = std::max(state.since, now);
  (copy ? state.copies : state.leased).Insert(range);
  state.cost += costs_.Of(range);
  if (!copy) leased_tasks_ += range.Size();
}

void LeaseBook::Take(WorkerId worker, IndexRange range, bool copy) {
  Worker& state = workers_[worker.value];
  model::RangeSet& set = copy ? state.copies : state.leased;
  EVENKEEL_CHECK(set.Contains(range), "a lease that its worker does not hold");
  set.Erase(range);
  state.cost -= costs_.Of(range);
  if (copy) return;
  leased_tasks_ -= range.Size();
  retried_.Erase(range);
}

}  // namespace evenkeel::engine
