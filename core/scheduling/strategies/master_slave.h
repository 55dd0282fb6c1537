#pragma once

#include <cstdint>
#include <vector>

#include "core/scheduling/shared_pool.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// Hands out a chunk of tasks to each idle thread, in index order: the master-slave paradigm of
/// 003_, section 3.B. As published the master is worker 0 and does not compute; with
/// `dedicatedCoordinator: true` it computes as well. If no slave is left, the master
/// computes: a job advances while one worker lives.
class MasterSlave final : public Strategy {
 public:
  explicit MasterSlave(const StrategyContext& context)
      : context_(context), options_(context.balancing.master_slave) {}

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant) override {
    pool_.Insert(tasks.range);
  }
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;

 private:
  StrategyContext context_;
  SharedPool pool_;
  LiveWorkers live_;
  model::MasterSlaveOptions options_;
  Instant started_{};
  bool master_shown_ = false;
};

/// The hand-out itself, shared with the third stage of ModifiedMasterSlave.
class HandOut {
 public:
  /// Leases `chunk_tasks` tasks to each idle thread of the workers that are alive and connected.
  /// The master gets none, unless the coordinator is dedicated or no other worker lives.
  static void Serve(const StrategyContext& context, const model::MasterSlaveOptions& options,
                    const LiveWorkers& live, SharedPool& pool, std::vector<Decision>& decisions);
};

}  // namespace evenkeel::scheduling
