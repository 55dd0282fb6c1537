// Coordinator: tasks that are appended, and where tasks are.
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
  Place(grown.placed);
  strategy_->Append(appended, now);
  const auto& shares = strategy_->PlannedShares();
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].tally.share = shares[i];
  Decide(now, effects);
  return effects;
}

void Coordinator::Place(const std::vector<PlacedTasks>& placed) {
  for (const PlacedTasks& tasks : placed) {
    const auto known = by_name_.find(tasks.node);
    if (known != by_name_.end()) places_.Put(tasks.range, known->second);
  }
}

void Coordinator::Connect(const std::vector<NodeLink>& links) {
  for (const NodeLink& link : links) {
    const auto one = by_name_.find(link.one);
    const auto other = by_name_.find(link.other);
    if (one == by_name_.end() || other == by_name_.end()) continue;
    places_.Link(one->second, other->second, link.tasks_per_second);
  }
}

}  // namespace evenkeel::engine
