#pragma once

#include <deque>
#include <vector>

#include "core/scheduling/chunks/chunk_rule.h"
#include "core/scheduling/strategies/strategy_base.h"

namespace evenkeel::scheduling {

/// Hands out consecutive tasks from the front, as many as its rule says, to whoever has a thread
/// without work: dynamic loop self-scheduling. A worker asks when it has nothing left for a thread,
/// as published, so that a round trip is lost for each chunk. With `balancing.reissue` tasks that
/// are handed out and not done are handed out once more when there are no others (A. Mohammed, A.
/// Cavelan and F. M. Ciorba, "rDLB: a novel approach for robust dynamic load balancing of
/// scientific applications with parallel independent tasks", HPCS 2019): half of them in P parts at
/// a time, in index order, each at most once, first result wins. A decision takes O(1), but for the
/// rule and for what is handed out again.
class ChunkSelfScheduling final : public StrategyBase {
 public:
  ChunkSelfScheduling(const StrategyContext& context, ChunkRulePtr rule);

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void Append(model::IndexRange range, Instant now) override;
  void AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) override;
  void WorkerLost(WorkerId worker, Instant now) override;
  void WorkerBack(WorkerId worker, Instant now) override;
  void Return(WorkerId from, model::IndexRange range, ReturnCause cause, Instant now) override;
  void Touch(WorkerId worker, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;
  [[nodiscard]] PlannedRun PlanOf(model::TaskIndex) const override {
    return {std::nullopt, context_.costs.TaskCount()};
  }

 private:
  struct State {
    bool asks = false;  // it is in asking_
    bool idle = false;  // it asked and there was nothing
    std::int64_t seen_tasks = 0;
    double seen_busy_seconds = 0;
    std::int64_t chunk_tasks = 0;  // when it last got a chunk
    double chunk_busy_seconds = 0;
    Instant chunk_given{};
  };

  /// All that is not handed out, kept with the first worker.
  [[nodiscard]] Reservation& Pool() { return At(kMaster).reserved; }
  void Ask(WorkerId worker);
  void AskAllIdle();
  void Serve(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  void CloseChunk(WorkerId worker, Instant now);
  [[nodiscard]] std::int64_t NextChunk(WorkerId worker, Instant now);
  /// The first part of a leased range that may be handed out once more; empty if there is none.
  [[nodiscard]] model::IndexRange FirstToReissue(model::IndexRange leased) const;
  void Reissue(WorkerId worker, std::vector<Decision>& decisions);

  ChunkRulePtr rule_;
  LoopState loop_;
  std::vector<State> states_;
  std::deque<WorkerId> asking_;
  model::RangeSet just_reissued_;  // in this round of decisions
};

}  // namespace evenkeel::scheduling
