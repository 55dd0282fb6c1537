#pragma once

#include <optional>

#include "core/scheduling/strategies/strategy_base.h"

namespace evenkeel::scheduling {

/// Hands out a chunk of tasks to each idle thread, in index order: the master-slave paradigm of
/// 003_, section 3.B. As published the master is worker 0 and does not compute; with
/// `dedicatedCoordinator: true` it computes as well. If no slave is left, the master
/// computes: a job advances while one worker lives.
class MasterSlave final : public StrategyBase {
 public:
  explicit MasterSlave(const StrategyContext& context)
      : StrategyBase(context), options_(context.balancing.master_slave) {}

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void Append(model::IndexRange range, Instant now) override;
  void Return(WorkerId from, model::IndexRange range, ReturnCause cause, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;
  [[nodiscard]] PlannedRun PlanOf(model::TaskIndex) const override {
    return {std::nullopt, context_.costs.TaskCount()};
  }
  [[nodiscard]] std::vector<Stage> Stages(Instant now) const override;

 private:
  model::MasterSlaveOptions options_;
  Instant started_{};
};

/// The hand-out itself, shared with the third stage of ModifiedMasterSlave.
/// The pool is the master's reservation.
class HandOut {
 public:
  /// Leases `chunk_tasks` tasks to each idle thread of the usable workers. `master`, if given, gets
  /// none.
  static void Serve(const StrategyContext& context, std::int64_t chunk_tasks,
                    std::optional<WorkerId> master, const std::vector<WorkerId>& usable,
                    ReservedPool& pool, std::vector<Decision>& decisions);
};

}  // namespace evenkeel::scheduling
