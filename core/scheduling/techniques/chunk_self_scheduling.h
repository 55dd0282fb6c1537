#pragma once

#include <deque>
#include <vector>

#include "core/scheduling/shared_pool.h"
#include "core/scheduling/strategy.h"
#include "core/scheduling/techniques/chunk_rule.h"
#include "core/scheduling/techniques/technique.h"

namespace evenkeel::scheduling {

/// Dynamic loop self-scheduling: hands out consecutive tasks from the front, as many as its rule
/// says, to each worker with an idle thread. A worker asks when a thread has nothing left, as
/// published, so each chunk costs a round trip. With `reissue`, unfinished tasks are handed out a
/// second time when no others are left (A. Mohammed, A. Cavelan and F. M. Ciorba, "rDLB: a novel
/// approach for robust dynamic load balancing of scientific applications with parallel independent
/// tasks", HPCS 2019): half of them in P parts at a time, in index order, each at most once; the
/// first result wins. A decision is O(1), the rule and reissued tasks apart.
class ChunkSelfScheduling final : public Strategy {
 public:
  ChunkSelfScheduling(const StrategyContext& context, const TechniqueOptions& options,
                      ChunkRulePtr rule);

  void Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
             Instant now) override;
  void OnTasksAvailable(const TasksAvailable& tasks, Instant now) override;
  void OnTasksTaken(model::IndexRange range) override { pool_.Withdraw(range); }
  void OnWorkerEvent(const WorkerEvent& event, Instant now) override;
  [[nodiscard]] std::vector<Decision> Decide(Instant now) override;

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

  /// Takes over what the estimator has learned of the worker.
  void Observe(WorkerId worker);
  void Ask(WorkerId worker);
  void AskAllIdle();
  void Serve(WorkerId worker, Instant now, std::vector<Decision>& decisions);
  void CloseChunk(WorkerId worker, Instant now);
  [[nodiscard]] std::int64_t NextChunk(WorkerId worker, Instant now);
  /// The first part of a leased range that may be reissued; empty if there is none.
  [[nodiscard]] model::IndexRange FirstToReissue(model::IndexRange leased) const;
  void Reissue(WorkerId worker, std::vector<Decision>& decisions);

  StrategyContext context_;
  SharedPool pool_;
  TechniqueOptions options_;
  ChunkRulePtr rule_;
  LoopState loop_;
  std::vector<State> states_;
  std::deque<WorkerId> asking_;
  model::RangeSet just_reissued_;  // in this round of decisions
};

}  // namespace evenkeel::scheduling
