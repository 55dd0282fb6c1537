#include "core/scheduling/strategies/strategy_base.h"

#include <algorithm>
#include <iterator>

#include "core/base/check.h"
#include "core/scheduling/partition.h"

namespace evenkeel::scheduling {

StrategyBase::StrategyBase(const StrategyContext& context)
    : context_(context), heavy_cost_(context.costs.Longest() + 1) {}

void StrategyBase::AddWorkers(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    workers_.push_back({true, Reservation(context_.costs, heavy_cost_)});
    shares_.push_back(0);
  }
}

void StrategyBase::Plan(const std::vector<model::RangeSet>& parts) {
  const auto total = static_cast<double>(std::max<model::Cost>(context_.costs.Total(), 1));
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    model::Cost cost = 0;
    parts[i].ForEach([&](model::IndexRange range) {
      workers_[i].reserved.Insert({range, 0});
      planned_[range.begin] = WorkerId{i};
      cost += context_.costs.Of(range);
    });
    shares_[i] += static_cast<double>(cost) / total;
    ReservationChanged(WorkerId{i});
  }
}

model::RangeSet StrategyBase::PlanAtHome(const model::RangeSet& tasks) {
  model::RangeSet rest = tasks;
  if (context_.places.Empty()) return rest;
  std::vector<model::RangeSet> parts(workers_.size());
  tasks.ForEach([&](model::IndexRange range) {
    for (const auto& part : context_.places.Split(range)) {
      if (!part.home || !At(*part.home).alive) continue;
      parts[part.home->value].Insert(part.range);
      rest.Erase(part.range);
    }
  });
  Plan(parts);
  return rest;
}

void StrategyBase::Append(model::IndexRange range, Instant) { PlanMore(range, EqualWeights()); }

void StrategyBase::PlanMore(model::IndexRange range, const std::vector<double>& weights) {
  Dilute(range);
  if (AnyAlive()) {
    const model::RangeSet anywhere = PlanAtHome(model::RangeSet(range));
    Plan(PartitionByCost(context_.costs, anywhere, weights));
  } else {
    orphans_.push_back({range, 0});
    planned_[range.begin] = std::nullopt;
  }
}

void StrategyBase::Dilute(model::IndexRange appended) {
  const auto total = static_cast<double>(std::max<model::Cost>(context_.costs.Total(), 1));
  const double before = total - static_cast<double>(context_.costs.Of(appended));
  for (double& share : shares_) share *= before / total;
}

void StrategyBase::SetHeavyCost(model::Cost cost) {
  heavy_cost_ = cost;
  for (auto& worker : workers_) worker.reserved.SetHeavyCost(cost);
}

void StrategyBase::AddWorker(WorkerId worker, const WorkerFacts&, Instant now) {
  EVENKEEL_CHECK(worker.value == workers_.size(), "workers are numbered one after the other");
  AddWorkers(1);
  WorkerBack(worker, now);
}

void StrategyBase::WorkerLost(WorkerId worker, Instant) {
  At(worker).alive = false;
  const auto pieces = At(worker).reserved.TakeAll();
  ReservationChanged(worker);
  ShareOut(pieces, EqualWeights());
}

void StrategyBase::WorkerBack(WorkerId worker, Instant) {
  At(worker).alive = true;
  for (const auto& piece : orphans_) At(worker).reserved.Insert(piece);
  orphans_.clear();
  ReservationChanged(worker);
}

void StrategyBase::Withdraw(model::IndexRange range) {
  std::int64_t left = range.Size();
  for (std::uint32_t i = 0; i < workers_.size() && left > 0; ++i) {
    const std::int64_t removed = workers_[i].reserved.Remove(range);
    if (removed > 0) ReservationChanged(WorkerId{i});
    left -= removed;
  }
  std::vector<Reservation::Piece> kept;
  for (const auto& piece : orphans_) {
    const model::RangeSet whole(piece.range);
    model::RangeSet rest = whole;
    rest.Erase(range);
    rest.ForEach([&](model::IndexRange part) { kept.push_back({part, piece.moves}); });
  }
  orphans_ = std::move(kept);
}

Strategy::PlannedRun StrategyBase::PlanOf(model::TaskIndex index) const {
  const auto after = planned_.upper_bound(index);
  PlannedRun run;
  run.until = after == planned_.end() ? context_.costs.TaskCount() : after->first;
  if (after != planned_.begin()) run.worker = std::prev(after)->second;
  return run;
}

std::vector<Strategy::Move> StrategyBase::TakeMoves() { return std::exchange(moves_, {}); }

std::int64_t StrategyBase::PoolSize() const {
  std::int64_t size = 0;
  for (const auto& worker : workers_) size += worker.reserved.Tasks();
  for (const auto& piece : orphans_) size += piece.range.Size();
  return size;
}

bool StrategyBase::PoolContains(model::IndexRange range) const {
  for (model::TaskIndex i = range.begin; i < range.end; ++i) {
    const model::IndexRange one{i, i + 1};
    const bool reserved = std::any_of(workers_.begin(), workers_.end(),
                                      [&](const Worker& w) { return w.reserved.Contains(one); });
    const bool orphan = std::any_of(orphans_.begin(), orphans_.end(),
                                    [&](const auto& piece) { return piece.range.Contains(i); });
    if (!reserved && !orphan) return false;
  }
  return true;
}

void StrategyBase::ShareOut(const std::vector<Reservation::Piece>& pieces,
                            const std::vector<double>& weights) {
  if (!AnyAlive()) {
    orphans_.insert(orphans_.end(), pieces.begin(), pieces.end());
    return;
  }
  std::map<std::int32_t, model::RangeSet> by_moves;
  for (const auto& piece : pieces) by_moves[piece.moves].Insert(piece.range);
  for (const auto& entry : by_moves) {
    const std::int32_t moves = entry.first;
    const auto parts = PartitionByCost(context_.costs, entry.second, weights);
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      parts[i].ForEach([&](model::IndexRange range) {
        workers_[i].reserved.Insert({range, moves});
      });
      if (!parts[i].Empty()) ReservationChanged(WorkerId{i});
    }
  }
}

std::vector<double> StrategyBase::EqualWeights() const {
  std::vector<double> weights;
  for (const auto& worker : workers_) weights.push_back(worker.alive ? 1.0 : 0.0);
  return weights;
}

WorkerId StrategyBase::NextAlive(WorkerId worker) const {
  const auto count = static_cast<std::uint32_t>(workers_.size());
  for (std::uint32_t step = 1; step < count; ++step) {
    const WorkerId next{(worker.value + step) % count};
    if (At(next).alive) return next;
  }
  return worker;
}

bool StrategyBase::AnyAlive() const {
  return std::any_of(workers_.begin(), workers_.end(), [](const Worker& w) { return w.alive; });
}

void StrategyBase::NoteMove(WorkerId from, WorkerId to, std::int64_t tasks, Instant at) {
  moves_.push_back({from, to, tasks, at});
}

}  // namespace evenkeel::scheduling
