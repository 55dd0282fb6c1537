#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduling/reserved_pool.h"
#include "core/scheduling/strategy.h"

namespace evenkeel::scheduling {

/// A strategy whose tasks are in a ReservedPool.
class StrategyBase : public Strategy {
 public:
  void Append(model::IndexRange range, Instant now) override;
  void AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) override;
  void WorkerLost(WorkerId worker, Instant now) override;
  void WorkerBack(WorkerId worker, Instant now) override;
  void Withdraw(model::IndexRange range) override { pool_.Withdraw(range); }
  [[nodiscard]] const std::vector<double>& PlannedShares() const override {
    return pool_.PlannedShares();
  }
  [[nodiscard]] PlannedRun PlanOf(model::TaskIndex index) const override {
    return pool_.PlanOf(index);
  }
  [[nodiscard]] std::vector<Move> TakeMoves() override { return pool_.TakeMoves(); }
  [[nodiscard]] std::int64_t PoolSize() const override { return pool_.Tasks(); }
  [[nodiscard]] bool PoolContains(model::IndexRange range) const override {
    return pool_.Contains(range);
  }

 protected:
  explicit StrategyBase(const StrategyContext& context) : context_(context), pool_(context) {}

  /// Alive and connected.
  [[nodiscard]] bool Usable(WorkerId worker) const {
    return pool_.Alive(worker) && context_.leases.Connected(worker);
  }

  StrategyContext context_;
  ReservedPool pool_;
};

}  // namespace evenkeel::scheduling
