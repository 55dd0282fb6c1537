#include "core/scheduling/strategies/master_slave.h"

#include <algorithm>
#include <limits>

namespace evenkeel::scheduling {

void MasterSlave::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                        Instant now) {
  started_ = now;
  AddWorkers(workers.size());
  std::vector<model::RangeSet> parts(workers.size());
  parts[kMaster.value] = todo;
  Plan(parts);
}

void MasterSlave::Append(model::IndexRange range, Instant) {
  Dilute(range);
  std::vector<model::RangeSet> parts(workers_.size());
  parts[kMaster.value].Insert(range);
  Plan(parts);
}

void MasterSlave::Return(WorkerId, model::IndexRange range, ReturnCause, Instant) {
  At(kMaster).reserved.Insert({range, 0});
}

std::vector<Decision> MasterSlave::Decide(Instant) {
  std::vector<Decision> decisions;
  std::vector<WorkerId> usable;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (Usable({i})) usable.push_back({i});
  }
  for (auto& worker : workers_) {  // what was reserved for a worker that was lost is handed out too
    if (&worker == &workers_[kMaster.value]) continue;
    for (const auto& piece : worker.reserved.TakeAll()) At(kMaster).reserved.Insert(piece);
  }
  HandOut::Serve(context_, options_.chunk_tasks,
                 IdleMaster(kMaster, options_.dedicated_coordinator), usable, At(kMaster).reserved,
                 decisions);
  return decisions;
}

std::vector<Strategy::Stage> MasterSlave::Stages(Instant now) const {
  if (options_.dedicated_coordinator || workers_.size() < 2) return {};
  return {{0, kMaster, started_, now}};
}

void HandOut::Serve(const StrategyContext& context, std::int64_t chunk_tasks,
                    std::optional<WorkerId> master, const std::vector<WorkerId>& usable,
                    Reservation& pool, std::vector<Decision>& decisions) {
  for (const WorkerId worker : usable) {
    if (master && worker == *master) continue;
    const auto threads = static_cast<std::int64_t>(context.estimator.Threads(worker));
    const std::int64_t free_threads = threads - context.leases.OutstandingTasks(worker);
    for (std::int64_t n = 0; n < free_threads && !pool.Empty(); ++n) {
      for (const auto& piece :
           pool.TakeNext(std::numeric_limits<model::Cost>::max(), chunk_tasks, chunk_tasks)) {
        decisions.emplace_back(GrantDecision{worker, piece.range});
      }
    }
  }
}

}  // namespace evenkeel::scheduling
