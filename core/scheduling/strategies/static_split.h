#pragma once

#include "core/scheduling/reserved_pool.h"

namespace evenkeel::scheduling {

/// Everything is shared out at the start and leased at once; nothing moves afterwards, unless a
/// worker is lost: its rest is then dealt out to the others. Appended tasks are divided in the
/// same way among the living workers.
///   DomainDecomposition: consecutive parts with equal numbers of tasks (003_, section 3.A).
///   Interleaved: pseudo-ranks in the ratio of whole-number weights, ceil(ratio) (000_, figure 5).
class StaticSplit final : public Strategy {
 public:
  enum class Kind { kDomainDecomposition, kInterleaved };

  StaticSplit(const StrategyContext& context, Kind kind)
      : context_(context), pool_(context_), kind_(kind) {}

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant) override { pool_.Apply(event); }
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;

 private:
  void Append(model::IndexRange range);
  [[nodiscard]] std::vector<model::RangeSet> Split(const std::vector<WorkerFacts>& workers,
                                                   const model::RangeSet& todo) const;
  StrategyContext context_;
  ReservedPool pool_;
  Kind kind_;
  std::vector<WorkerFacts> facts_;  // of those that were expected
};

}  // namespace evenkeel::scheduling
