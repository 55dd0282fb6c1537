#include "core/scheduling/reserved_pool.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/scheduling/partition.h"

namespace evenkeel::scheduling {
namespace {

constexpr std::int32_t kNoLimitOfMoves = std::numeric_limits<std::int32_t>::max();

model::RangeSet Without(model::RangeSet tasks, const model::RangeSet& others) {
  others.ForEach([&tasks](model::IndexRange range) { tasks.Erase(range); });
  return tasks;
}

}  // namespace

ReservedPool::ReservedPool(const StrategyContext& context)
    : costs_(context.costs),
      holders_(context.holders),
      ledger_(context.reservations),
      heavy_cost_(context.costs.Longest() + 1) {}

void ReservedPool::AddWorkers(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    reserved_.emplace_back(costs_, heavy_cost_).SetFromBack(from_back_);
  }
  live_.Add(count);
}

std::vector<double> ReservedPool::EqualWeights() const {
  std::vector<double> weights;
  for (std::uint32_t i = 0; i < Workers(); ++i) weights.push_back(Alive({i}) ? 1.0 : 0.0);
  return weights;
}

void ReservedPool::Join(WorkerId worker) {
  EVENKEEL_CHECK(worker.value == Workers(), "workers are numbered one after the other");
  AddWorkers(1);
  Revive(worker);
}

ReservedPool::Pieces ReservedPool::Lose(WorkerId worker) {
  live_.Set(worker, false);
  Pieces pieces = TakeAll(worker);
  Changed(worker);
  return pieces;
}

void ReservedPool::LoseAndShareOut(WorkerId worker) {
  const Pieces pieces = Lose(worker);
  ShareOut(pieces, EqualWeights());  // without the lost worker
}

void ReservedPool::Revive(WorkerId worker) {
  live_.Set(worker, true);
  Insert(worker, std::exchange(orphans_, {}));
}

void ReservedPool::Apply(const WorkerEvent& event) {
  switch (event.change) {
    case WorkerChange::kJoined:
      return Join(event.worker);
    case WorkerChange::kLost:
      return LoseAndShareOut(event.worker);
    case WorkerChange::kReturned:
      return Revive(event.worker);
    case WorkerChange::kUpdated:
    case WorkerChange::kLeased:
    case WorkerChange::kRecallEnded:
    case WorkerChange::kHoldsData:
      return;
  }
}

void ReservedPool::SetHeavyCost(model::Cost cost) {
  heavy_cost_ = cost;
  for (auto& reserved : reserved_) reserved.SetHeavyCost(cost);
}

void ReservedPool::Recount() {
  SetHeavyCost(costs_.Longest() + 1);
  for (std::uint32_t i = 0; i < Workers(); ++i) {
    for (const Piece& piece : At({i}).TakeAll()) At({i}).Insert(piece);
    Changed({i});
  }
}

void ReservedPool::SetFromBack(bool from_back) {
  from_back_ = from_back;
  for (auto& reserved : reserved_) reserved.SetFromBack(from_back);
}

void ReservedPool::Reserve(WorkerId worker, const Piece& piece) {
  ledger_.Reserve(piece.range, worker);
  At(worker).Insert(piece);
}

void ReservedPool::Plan(const std::vector<model::RangeSet>& parts) {
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    parts[i].ForEach([&](model::IndexRange range) { Reserve({i}, {range, 0}); });
    Changed({i});
  }
}

void ReservedPool::PlanByCost(const model::RangeSet& tasks, const std::vector<double>& weights) {
  const bool some_heavy = heavy_cost_ <= costs_.Longest();
  Plan(some_heavy ? PartitionLargestFirst(costs_, tasks, weights, heavy_cost_)
                  : PartitionByCost(costs_, tasks, weights));
}

model::RangeSet ReservedPool::PlanByHolders(const model::RangeSet& tasks) {
  model::RangeSet rest = tasks;
  if (holders_.Empty()) return rest;
  std::vector<model::RangeSet> parts(Workers());
  tasks.ForEach([&](model::IndexRange range) {
    for (const auto& part : holders_.Split(range)) {
      const auto holder = std::find_if(part.holders.begin(), part.holders.end(),
                                       [this](WorkerId worker) { return Alive(worker); });
      if (holder == part.holders.end()) continue;
      parts[holder->value].Insert(part.range);
      rest.Erase(part.range);
    }
  });
  Plan(parts);
  return rest;
}

void ReservedPool::Append(model::IndexRange range, const std::vector<double>& weights) {
  if (!AnyAlive()) {
    AddOrphan(range);
    return;
  }
  const model::RangeSet anywhere = PlanByHolders(model::RangeSet(range));
  PlanByCost(anywhere, weights);
}

void ReservedPool::GatherHeld(WorkerId worker) {
  const model::RangeSet& held = holders_.Of(worker);
  At(worker).SetHeld(held);
  if (!Alive(worker)) return;
  for (WorkerId other = NextAlive(worker); other != worker; other = NextAlive(other)) {
    const model::RangeSet& held_by_other = holders_.Of(other);
    const model::RangeSet missing = Of(worker).Others(held);
    const model::RangeSet wanted = Without(Of(other).Common(held), held_by_other);
    const Pieces gained = At(other).TakeAmong(wanted, costs_.Of(missing), kNoLimitOfMoves);
    if (gained.empty()) continue;
    model::Cost owed = CostOf(gained);
    for (const auto& tasks : {Without(Of(worker).Common(held_by_other), held), missing}) {
      const Pieces given = At(worker).TakeAmong(tasks, owed, kNoLimitOfMoves);
      owed -= CostOf(given);
      Insert(other, given);
    }
    Insert(worker, gained);
  }
}

void ReservedPool::Insert(WorkerId worker, const Pieces& pieces) {
  for (const Piece& piece : pieces) Reserve(worker, piece);
  Changed(worker);
}

void ReservedPool::InsertAtNext(WorkerId from, model::IndexRange range) {
  if (!AnyAlive()) return AddOrphan(range);
  Insert(NextAlive(from), {{range, 0}});
}

void ReservedPool::ShareOut(const Pieces& pieces, const std::vector<double>& weights) {
  if (!AnyAlive()) {
    for (const Piece& piece : pieces) ledger_.Unreserve(piece.range);
    orphans_.insert(orphans_.end(), pieces.begin(), pieces.end());
    return;
  }
  std::map<std::int32_t, model::RangeSet> by_moves;
  for (const auto& piece : pieces) by_moves[piece.moves].Insert(piece.range);
  for (const auto& entry : by_moves) {
    const std::int32_t moves = entry.first;
    const auto parts = PartitionByCost(costs_, entry.second, weights);
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      parts[i].ForEach([&](model::IndexRange range) { Reserve({i}, {range, moves}); });
      if (!parts[i].Empty()) Changed({i});
    }
  }
}

void ReservedPool::Move(WorkerId from, WorkerId to, const Pieces& pieces) {
  RecordMove(from, to, pieces);
  for (const Piece& piece : pieces) At(to).Insert({piece.range, piece.moves + 1});
  Changed(from);
  Changed(to);
}

void ReservedPool::RecordMove(WorkerId from, WorkerId to, const Pieces& pieces) {
  std::int64_t tasks = 0;
  for (const Piece& piece : pieces) {
    tasks += piece.range.Size();
    ledger_.Reserve(piece.range, to);
  }
  moves_.push_back({from, to, tasks});
}

void ReservedPool::TakeMoves(std::vector<Decision>& decisions) {
  decisions.insert(decisions.end(), moves_.begin(), moves_.end());
  moves_.clear();
}

ReservedPool::Pieces ReservedPool::TakeNext(WorkerId worker, model::Cost budget,
                                            std::int64_t min_tasks, std::int64_t max_tasks) {
  return At(worker).TakeNext(budget, min_tasks, max_tasks);
}

std::optional<ReservedPool::Piece> ReservedPool::TakeLargest(WorkerId worker, model::Cost limit) {
  return At(worker).TakeLargest(limit);
}

std::optional<ReservedPool::Piece> ReservedPool::TakeShort(WorkerId worker, model::Cost limit) {
  return At(worker).TakeShort(limit);
}

ReservedPool::Pieces ReservedPool::TakeTail(WorkerId worker, model::Cost budget,
                                            std::int32_t max_moves) {
  return At(worker).TakeTail(budget, max_moves);
}

ReservedPool::Pieces ReservedPool::TakeTailFor(WorkerId thief, WorkerId victim, model::Cost budget,
                                               std::int32_t max_moves) {
  Pieces taken;
  const auto add = [&](const Pieces& pieces) {
    budget -= CostOf(pieces);
    taken.insert(taken.end(), pieces.begin(), pieces.end());
  };
  const model::RangeSet& held_by_thief = holders_.Of(thief);
  const model::RangeSet& held_by_victim = holders_.Of(victim);
  if (!held_by_thief.Empty()) add(At(victim).TakeAmong(held_by_thief, budget, max_moves));
  if (!held_by_victim.Empty()) {
    add(At(victim).TakeAmong(Of(victim).Others(held_by_victim), budget, max_moves));
  }
  add(At(victim).TakeTail(budget, max_moves));
  return taken;
}

std::optional<ReservedPool::Piece> ReservedPool::TakeLargestFor(WorkerId thief, WorkerId victim,
                                                                model::Cost limit) {
  const model::RangeSet& held = holders_.Of(thief);
  const model::Cost one = costs_.Longest();
  if (!costs_.Known() && !held.Empty() && one <= limit) {
    const Pieces pieces = At(victim).TakeAmong(held, one, kNoLimitOfMoves);
    if (!pieces.empty()) return pieces.front();
  }
  return TakeLargest(victim, limit);
}

ReservedPool::Pieces ReservedPool::TakeAll(WorkerId worker) { return At(worker).TakeAll(); }

ReservedPool::Pieces ReservedPool::UnreserveAll(WorkerId worker) {
  Pieces pieces = TakeAll(worker);
  for (const Piece& piece : pieces) ledger_.Unreserve(piece.range);
  return pieces;
}

void ReservedPool::Withdraw(model::IndexRange range) {
  std::int64_t left = range.Size();
  for (std::uint32_t i = 0; i < Workers() && left > 0; ++i) {
    const std::int64_t removed = At({i}).Remove(range);
    if (removed > 0) Changed({i});
    left -= removed;
  }
  Pieces kept;
  for (const auto& piece : orphans_) {
    model::RangeSet rest(piece.range);
    rest.Erase(range);
    rest.ForEach([&](model::IndexRange part) { kept.push_back({part, piece.moves}); });
  }
  orphans_ = std::move(kept);
}

std::int64_t ReservedPool::Tasks() const {
  std::int64_t size = 0;
  for (const auto& reserved : reserved_) size += reserved.Tasks();
  for (const auto& piece : orphans_) size += piece.range.Size();
  return size;
}

model::Cost ReservedPool::CostOf(const Pieces& pieces) const {
  model::Cost cost = 0;
  for (const Piece& piece : pieces) cost += costs_.Of(piece.range);
  return cost;
}

bool ReservedPool::Contains(model::IndexRange range) const {
  for (model::TaskIndex i = range.begin; i < range.end; ++i) {
    const model::IndexRange one{i, i + 1};
    const bool reserved = std::any_of(reserved_.begin(), reserved_.end(),
                                      [&](const Reservation& r) { return r.Contains(one); });
    const bool orphan = std::any_of(orphans_.begin(), orphans_.end(),
                                    [&](const Piece& piece) { return piece.range.Contains(i); });
    if (!reserved && !orphan) return false;
  }
  return true;
}

void GrantAllReserved(WorkerId worker, ReservedPool& pool, std::vector<Decision>& decisions) {
  for (const auto& piece : pool.TakeAll(worker)) {
    decisions.emplace_back(GrantDecision{worker, piece.range});
  }
}

}  // namespace evenkeel::scheduling
