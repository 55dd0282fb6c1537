#include "core/scheduling/strategies/strategy_base.h"

#include "core/base/check.h"

namespace evenkeel::scheduling {

void StrategyBase::Append(model::IndexRange range, Instant) {
  pool_.PlanMore(range, pool_.EqualWeights());
}

void StrategyBase::AddWorker(WorkerId worker, const WorkerFacts&, Instant now) {
  EVENKEEL_CHECK(worker.value == pool_.Workers(), "workers are numbered one after the other");
  pool_.AddWorkers(1);
  WorkerBack(worker, now);
}

void StrategyBase::WorkerLost(WorkerId worker, Instant) {
  const auto pieces = pool_.Lose(worker);
  pool_.ShareOut(pieces, pool_.EqualWeights());
}

void StrategyBase::WorkerBack(WorkerId worker, Instant) { pool_.Revive(worker); }

}  // namespace evenkeel::scheduling
