#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/reserved_pool.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// The master of the strategies that have one.
inline constexpr WorkerId kMaster{0};

/// A strategy whose tasks are in a ReservedPool.
class StrategyBase : public Strategy {
 public:
  void Append(model::IndexRange range, Instant now) override;
  void AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) override;
  void WorkerLost(WorkerId worker, Instant now) override;
  void WorkerBack(WorkerId worker, Instant now) override;
  void Withdraw(model::IndexRange range) override { pool_.Withdraw(range); }
  void Touch(WorkerId, Instant) override {}
  void RecallEnded(WorkerId, Instant) override {}
  [[nodiscard]] Instant NextDecision() const override { return kNever; }
  [[nodiscard]] const std::vector<double>& PlannedShares() const override {
    return pool_.PlannedShares();
  }
  [[nodiscard]] PlannedRun PlanOf(model::TaskIndex index) const override {
    return pool_.PlanOf(index);
  }
  [[nodiscard]] std::vector<Move> TakeMoves() override { return pool_.TakeMoves(); }
  [[nodiscard]] std::vector<Stage> Stages(Instant) const override { return {}; }
  [[nodiscard]] std::int64_t PoolSize() const override { return pool_.Tasks(); }
  [[nodiscard]] bool PoolContains(model::IndexRange range) const override {
    return pool_.Contains(range);
  }

 protected:
  explicit StrategyBase(const StrategyContext& context) : context_(context), pool_(context) {}

  /// The worker that is master and does not compute. Nothing with a dedicated coordinator, or if no
  /// other worker lives.
  [[nodiscard]] std::optional<WorkerId> IdleMaster(WorkerId master,
                                                   bool dedicated_coordinator) const {
    const bool alone = pool_.NextAlive(master) == master;
    if (dedicated_coordinator || alone) return std::nullopt;
    return master;
  }
  /// Alive and connected.
  [[nodiscard]] bool Usable(WorkerId worker) const {
    return pool_.Alive(worker) && context_.leases.Connected(worker);
  }

  StrategyContext context_;
  ReservedPool pool_;
};

}  // namespace evenkeel::scheduling
