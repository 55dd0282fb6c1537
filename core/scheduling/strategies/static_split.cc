#include "core/scheduling/strategies/static_split.h"

#include <cmath>

#include "core/scheduling/partition.h"

namespace evenkeel::scheduling {

void StaticSplit::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                        Instant) {
  facts_ = workers;
  pool_.AddWorkers(workers.size());
  pool_.Plan(Split(workers, todo));
}

void StaticSplit::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  if (tasks.origin == TaskOrigin::kAppended) return Append(tasks.range);
  pool_.InsertAtNext(tasks.from, tasks.range);
}

void StaticSplit::Append(model::IndexRange range) {
  if (kind_ == Kind::kDomainDecomposition || !pool_.AnyAlive()) {
    return pool_.Append(range, pool_.EqualWeights());
  }
  // Ranks stay whose they are; those of the lost are dealt out.
  pool_.Plan(Split(facts_, model::RangeSet(range)));
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!pool_.Alive({i})) pool_.ShareOut(pool_.TakeAll({i}), pool_.EqualWeights());
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

std::vector<Decision> StaticSplit::Decide(Instant) {
  std::vector<Decision> decisions;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (pool_.Usable({i}, context_.leases)) GrantAllReserved({i}, pool_, decisions);
  }
  return decisions;
}

}  // namespace evenkeel::scheduling
