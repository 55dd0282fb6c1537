#include "core/scheduling/strategies/master_slave.h"

#include <algorithm>
#include <limits>

#include "core/scheduling/partition.h"

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

void ModifiedMasterSlave::Start(const std::vector<WorkerFacts>& workers,
                                const model::RangeSet& todo, Instant now) {
  stage_start_ = now;
  pool_.AddWorkers(workers.size());
  served_.resize(workers.size());
  recalled_.resize(workers.size());
  answered_.resize(workers.size());
  pool_.Plan(PartitionEqually(todo, workers.size()));
  shown_.push_back({1, kMaster, now});
}

// In stage 1 each worker has its own part; later the master has all.
void ModifiedMasterSlave::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  if (phase_ != Phase::kDecomposition) {
    rest_.Insert(tasks.range);
  } else if (tasks.origin == TaskOrigin::kAppended) {
    pool_.Append(tasks.range, pool_.EqualWeights());
  } else {
    pool_.InsertAtNext(tasks.from, tasks.range);
  }
}

void ModifiedMasterSlave::OnTasksTaken(model::IndexRange range) {
  pool_.Withdraw(range);
  rest_.Withdraw(range);
}

void ModifiedMasterSlave::OnWorkerEvent(const WorkerEvent& event, Instant) {
  pool_.Apply(event);
  if (event.change == WorkerChange::kJoined) {
    served_.push_back(true);  // it has no part in the decomposition
    recalled_.push_back(true);
    answered_.push_back(true);
  }
  const bool answers =
      event.change == WorkerChange::kLost || event.change == WorkerChange::kRecallEnded;
  if (answers) answered_[event.worker.value] = true;
}

std::vector<Decision> ModifiedMasterSlave::Decide(Instant now) {
  std::vector<Decision> decisions;
  if (phase_ == Phase::kDecomposition) {
    DecideDecomposition(decisions);
    if (decisions.empty() && SomebodyIsDone()) Enter(Phase::kBarrier, now);
  }
  if (phase_ == Phase::kBarrier) {
    DecideBarrier(decisions);
    if (decisions.empty() && AllHaveReported()) Enter(Phase::kMasterSlave, now);
  }
  if (phase_ == Phase::kMasterSlave) {
    for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
      for (const auto& piece : pool_.UnreserveAll({i})) rest_.Insert(piece.range);
    }
    HandOut::Serve(context_, options_, pool_.Live(), rest_, decisions);
    ShowMaster();
  }
  decisions.insert(decisions.end(), shown_.begin(), shown_.end());
  shown_.clear();
  return decisions;
}

void ModifiedMasterSlave::DecideDecomposition(std::vector<Decision>& decisions) {
  for (const WorkerId worker : UsableWorkers()) {
    if (!pool_.Of(worker).Empty()) served_[worker.value] = true;
    GrantAllReserved(worker, pool_, decisions);
  }
}

void ModifiedMasterSlave::DecideBarrier(std::vector<Decision>& decisions) {
  for (const WorkerId worker : UsableWorkers()) {
    if (recalled_[worker.value]) continue;
    recalled_[worker.value] = true;
    if (context_.leases.OutstandingTasks(worker) == 0) {
      answered_[worker.value] = true;
      continue;
    }
    decisions.emplace_back(RecallDecision{worker, std::numeric_limits<std::int64_t>::max()});
  }
}

bool ModifiedMasterSlave::SomebodyIsDone() const {
  const auto usable = UsableWorkers();
  return std::any_of(usable.begin(), usable.end(), [this](WorkerId worker) {
    return served_[worker.value] && pool_.Of(worker).Empty() &&
           context_.leases.OutstandingTasks(worker) == 0;
  });
}

bool ModifiedMasterSlave::AllHaveReported() const {
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!Usable({i})) continue;
    if (!answered_[i] || context_.leases.OutstandingTasks({i}) > 0) return false;
  }
  return true;
}

void ModifiedMasterSlave::Enter(Phase phase, Instant now) {
  shown_.push_back({static_cast<int>(phase_) + 1, kMaster, stage_start_, now});
  stage_start_ = now;
  phase_ = phase;
  shown_.push_back({static_cast<int>(phase_) + 1, kMaster, stage_start_});
}

void ModifiedMasterSlave::ShowMaster() {
  if (master_shown_ || options_.dedicated_coordinator || pool_.Workers() < 2) return;
  shown_.push_back({0, kMaster, stage_start_});
  master_shown_ = true;
}

std::vector<WorkerId> ModifiedMasterSlave::UsableWorkers() const {
  std::vector<WorkerId> usable;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (Usable({i})) usable.push_back({i});
  }
  return usable;
}

}  // namespace evenkeel::scheduling
