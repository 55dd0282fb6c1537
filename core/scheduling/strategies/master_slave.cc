#include "core/scheduling/strategies/master_slave.h"

namespace evenkeel::scheduling {

void MasterSlave::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                        Instant now) {
  started_ = now;
  live_.Add(workers.size());
  pool_.Insert(todo);
}

void MasterSlave::OnWorkerEvent(const WorkerEvent& event, Instant) { live_.Apply(event); }

std::vector<Decision> MasterSlave::Decide(Instant) {
  std::vector<Decision> decisions;
  HandOut::Serve(context_, options_, live_, pool_, decisions);
  if (!master_shown_ && !options_.dedicated_coordinator && live_.Size() > 1) {
    decisions.emplace_back(StageDecision{0, kMaster, started_});
    master_shown_ = true;
  }
  return decisions;
}

void HandOut::Serve(const StrategyContext& context, const model::MasterSlaveOptions& options,
                    const LiveWorkers& live, SharedPool& pool, std::vector<Decision>& decisions) {
  const bool master_computes = options.dedicated_coordinator || live.NextAlive(kMaster) == kMaster;
  for (std::uint32_t i = 0; i < live.Size() && !pool.Empty(); ++i) {
    const WorkerId worker{i};
    if (!live.Alive(worker) || !context.leases.Connected(worker)) continue;
    if (worker == kMaster && !master_computes) continue;
    const auto threads = static_cast<std::int64_t>(context.estimator.Threads(worker));
    const std::int64_t free_threads = threads - context.leases.OutstandingTasks(worker);
    for (std::int64_t n = 0; n < free_threads; ++n) {
      for (const model::IndexRange range : pool.TakeFirst(options.chunk_tasks)) {
        decisions.emplace_back(GrantDecision{worker, range});
      }
    }
  }
}

}  // namespace evenkeel::scheduling
