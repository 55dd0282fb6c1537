#include "core/scheduling/strategies/modified_master_slave.h"

#include <algorithm>
#include <limits>

#include "core/scheduling/partition.h"
#include "core/scheduling/strategies/master_slave.h"

namespace evenkeel::scheduling {

void ModifiedMasterSlave::Start(const std::vector<WorkerFacts>& workers,
                                const model::RangeSet& todo, Instant now) {
  stage_start_ = now;
  pool_.AddWorkers(workers.size());
  served_.resize(workers.size());
  recalled_.resize(workers.size());
  answered_.resize(workers.size());
  pool_.Plan(PartitionEqually(todo, workers.size()));
}

void ModifiedMasterSlave::Append(model::IndexRange range, Instant now) {
  if (phase_ == Phase::kDecomposition) return StrategyBase::Append(range, now);
  pool_.PlanForNobody(range);
  rest_.Insert(range);
}

void ModifiedMasterSlave::AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) {
  served_.push_back(true);  // it has no part in the decomposition
  recalled_.push_back(true);
  answered_.push_back(true);
  StrategyBase::AddWorker(worker, facts, now);
}

void ModifiedMasterSlave::Return(WorkerId from, model::IndexRange range, ReturnCause, Instant) {
  if (phase_ != Phase::kDecomposition) {
    rest_.Insert(range);
    return;
  }
  // In stage 1 each worker has its own part: without a living worker, the range is an orphan.
  if (!pool_.AnyAlive()) return pool_.ShareOut({{range, 0}}, {});
  pool_.Insert(pool_.NextAlive(from), {{range, 0}});
}

void ModifiedMasterSlave::Withdraw(model::IndexRange range) {
  pool_.Withdraw(range);
  rest_.Withdraw(range);
}

bool ModifiedMasterSlave::PoolContains(model::IndexRange range) const {
  for (model::TaskIndex i = range.begin; i < range.end; ++i) {
    const model::IndexRange one{i, i + 1};
    if (!pool_.Contains(one) && !rest_.Contains(one)) return false;
  }
  return true;
}

void ModifiedMasterSlave::WorkerLost(WorkerId worker, Instant now) {
  StrategyBase::WorkerLost(worker, now);
  answered_[worker.value] = true;
}

void ModifiedMasterSlave::RecallEnded(WorkerId worker, Instant) { answered_[worker.value] = true; }

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
      for (const auto& piece : pool_.TakeAll({i})) rest_.Insert(piece.range);
    }
    HandOut::Serve(context_, options_, pool_.Live(), rest_, decisions);
  }
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
  finished_.push_back({static_cast<int>(phase_) + 1, kMaster, stage_start_, now});
  stage_start_ = now;
  phase_ = phase;
}

std::vector<WorkerId> ModifiedMasterSlave::UsableWorkers() const {
  std::vector<WorkerId> usable;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (Usable({i})) usable.push_back({i});
  }
  return usable;
}

std::vector<Strategy::Stage> ModifiedMasterSlave::Stages(Instant now) const {
  std::vector<Stage> stages = finished_;
  stages.push_back({static_cast<int>(phase_) + 1, kMaster, stage_start_, now});
  const bool master_idle =
      phase_ == Phase::kMasterSlave && !options_.dedicated_coordinator && pool_.Workers() > 1;
  if (master_idle) stages.push_back({0, kMaster, stage_start_, now});
  return stages;
}

}  // namespace evenkeel::scheduling
