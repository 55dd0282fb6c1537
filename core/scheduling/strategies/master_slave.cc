#include "core/scheduling/strategies/master_slave.h"

#include <algorithm>
#include <limits>

namespace evenkeel::scheduling {

void MasterSlave::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                        Instant now) {
  started_ = now;
  pool_.AddWorkers(workers.size());
  std::vector<model::RangeSet> parts(workers.size());
  parts[kMaster.value] = todo;
  pool_.Plan(parts);
}

void MasterSlave::Append(model::IndexRange range, Instant) { pool_.PlanFor(kMaster, range); }

void MasterSlave::Return(WorkerId, model::IndexRange range, ReturnCause, Instant) {
  pool_.Insert(kMaster, {{range, 0}});
}

std::vector<Decision> MasterSlave::Decide(Instant) {
  std::vector<Decision> decisions;
  std::vector<WorkerId> usable;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (Usable({i})) usable.push_back({i});
  }
  pool_.GatherAt(kMaster);
  HandOut::Serve(context_, options_.chunk_tasks,
                 IdleMaster(kMaster, options_.dedicated_coordinator), usable, pool_, decisions);
  return decisions;
}

std::vector<Strategy::Stage> MasterSlave::Stages(Instant now) const {
  if (options_.dedicated_coordinator || pool_.Workers() < 2) return {};
  return {{0, kMaster, started_, now}};
}

void HandOut::Serve(const StrategyContext& context, std::int64_t chunk_tasks,
                    std::optional<WorkerId> master, const std::vector<WorkerId>& usable,
                    ReservedPool& pool, std::vector<Decision>& decisions) {
  for (const WorkerId worker : usable) {
    if (master && worker == *master) continue;
    const auto threads = static_cast<std::int64_t>(context.estimator.Threads(worker));
    const std::int64_t free_threads = threads - context.leases.OutstandingTasks(worker);
    for (std::int64_t n = 0; n < free_threads && !pool.Of(kMaster).Empty(); ++n) {
      for (const auto& piece : pool.TakeNext(kMaster, std::numeric_limits<model::Cost>::max(),
                                             chunk_tasks, chunk_tasks)) {
        decisions.emplace_back(GrantDecision{worker, piece.range});
      }
    }
  }
}

}  // namespace evenkeel::scheduling
