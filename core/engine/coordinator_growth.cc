// Coordinator: tasks that are appended.
#include <utility>

#include "core/engine/coordinator.h"

namespace evenkeel::engine {

Effects Coordinator::OnGrown(GrownJob grown, Instant now) {
  Effects effects;
  if (ended_) return effects;
  const model::IndexRange appended{costs_->TaskCount(), grown.costs->TaskCount()};
  costs_->GrowTo(std::move(grown.costs));
  config_.input_of = std::move(grown.input_of);
  config_.job.workload_parameters = std::move(grown.workload_parameters);
  if (appended.Empty()) return effects;
  if (!config_.job.task_policy.success.succeeded_indexes) wanted_.Insert(appended);
  strategy_->Append(appended, now);
  const auto& shares = strategy_->PlannedShares();
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].tally.share = shares[i];
  Decide(now, effects);
  return effects;
}

}  // namespace evenkeel::engine
