#pragma once

#include <cstdint>
#include <vector>

#include "core/scheduling/reserved_pool.h"
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

/// The modified master-slave algorithm exactly as published (003_, section 4):
///   stage 1: equal domain decomposition, everything leased at once, no further messages;
///   stage 2: begins when the first worker has run its whole part. All others finish their current
///            task and report what they did not run; no worker gets tasks until all have;
///   stage 3: master-slave for the rest; worker 0 is the master and does not compute (unless
///            `dedicatedCoordinator: true`).
/// A worker that is lost counts as having reported. Tasks appended in stage 1 are decomposed
/// like the others; later the master hands them out.
class ModifiedMasterSlave final : public Strategy {
 public:
  explicit ModifiedMasterSlave(const StrategyContext& context)
      : context_(context), pool_(context_), options_(context.balancing.modified_master_slave) {}

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override;
  void OnWorkerEvent(const WorkerEvent& event, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;

 private:
  enum class Phase { kDecomposition, kBarrier, kMasterSlave };

  [[nodiscard]] bool Usable(WorkerId worker) const { return pool_.Usable(worker, context_.leases); }
  [[nodiscard]] std::vector<WorkerId> UsableWorkers() const;
  [[nodiscard]] bool SomebodyIsDone() const;
  [[nodiscard]] bool AllHaveReported() const;
  void Enter(Phase phase, Instant now);
  void DecideDecomposition(std::vector<Decision>& decisions);
  void DecideBarrier(std::vector<Decision>& decisions);
  void ShowMaster();

  StrategyContext context_;
  ReservedPool pool_;
  model::MasterSlaveOptions options_;
  Phase phase_ = Phase::kDecomposition;
  SharedPool rest_;             // the master's tasks; reserved ones are those of stage 1
  std::vector<bool> served_;    // has been leased its part of stage 1
  std::vector<bool> recalled_;  // in stage 2
  std::vector<bool> answered_;  // and has answered
  Instant stage_start_{};
  std::vector<StageDecision> shown_;  // not handed out yet
  bool master_shown_ = false;
};

}  // namespace evenkeel::scheduling
