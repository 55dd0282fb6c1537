#include "core/scheduling/strategies/static_split.h"

#include <cmath>

#include "core/scheduling/interleaved_split.h"
#include "core/scheduling/partition.h"

namespace evenkeel::scheduling {

void StaticSplit::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                        Instant) {
  facts_ = workers;
  AddWorkers(workers.size());
  Plan(Split(workers, todo));
}

void StaticSplit::Append(model::IndexRange range, Instant now) {
  if (kind_ == Kind::kDomainDecomposition || !AnyAlive()) return StrategyBase::Append(range, now);
  // Ranks stay whose they are; those of the lost are dealt out.
  Dilute(range);
  Plan(Split(facts_, model::RangeSet(range)));
  for (auto& worker : workers_) {
    if (!worker.alive) ShareOut(worker.reserved.TakeAll(), EqualWeights());
  }
}

std::vector<model::RangeSet> StaticSplit::Split(const std::vector<WorkerFacts>& workers,
                                                const model::RangeSet& todo) const {
  if (kind_ == Kind::kDomainDecomposition) return PartitionEqually(todo, workers.size());
  std::vector<std::int64_t> weights;
  for (const auto& worker : workers) {
    weights.push_back(static_cast<std::int64_t>(std::ceil(worker.ratio)));
  }
  std::vector<model::RangeSet> parts(workers.size());
  const auto split = InterleavedSplit(weights, context_.costs.TaskCount());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const model::IndexRange range : split[i]) {
      for (const model::IndexRange open : todo.Within(range)) parts[i].Insert(open);
    }
  }
  return parts;
}

void StaticSplit::Return(WorkerId from, model::IndexRange range, ReturnCause, Instant) {
  if (!AnyAlive()) {
    ShareOut({{range, 0}}, {});
    return;
  }
  At(NextAlive(from)).reserved.Insert({range, 0});
}

std::vector<Decision> StaticSplit::Decide(Instant) {
  std::vector<Decision> decisions;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (Usable({i})) GrantAllReserved({i}, workers_[i].reserved, decisions);
  }
  return decisions;
}

void GrantAllReserved(WorkerId worker, Reservation& reserved, std::vector<Decision>& decisions) {
  for (const auto& piece : reserved.TakeAll()) {
    decisions.emplace_back(GrantDecision{worker, piece.range});
  }
}

}  // namespace evenkeel::scheduling
