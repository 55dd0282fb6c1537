#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/scheduling/tail_stealing/finish_predictor.h"

namespace evenkeel::scheduling {

/// Finds stragglers: tasks of unknown cost that run for much longer than others; and decides on
/// speculative copies, of stragglers while there is other work, and of any late task at the end.
/// Not thread-safe.
class StragglerDetector {
 public:
  /// The arguments outlive the detector.
  StragglerDetector(const StrategyContext& context, const ReservedPool& pool,
                    const FinishPredictor& predictor, const BalancingGoal& goal)
      : context_(context), pool_(pool), predictor_(predictor), goal_(goal) {}

  void AddWorkers(std::size_t count) { marked_.resize(marked_.size() + count); }
  /// The copies of the round before are in the leases now.
  void BeginRound() { just_copied_.Clear(); }
  /// Marks a worker that is late if it runs a straggler. True if it was not marked before.
  bool Mark(WorkerId worker, Instant now);
  /// The worker is marked and still runs a straggler.
  [[nodiscard]] bool RunsStraggler(WorkerId worker, Instant now) const {
    return marked_[worker.value] && StragglesFor(worker, now);
  }
  /// A copy for an idle worker of the newest leased task of one with a late predicted time. Looks
  /// at up to 8 workers.
  [[nodiscard]] std::optional<CopyDecision> SpeculateOnTail(WorkerId idle, Instant now);
  /// A copy for a fast worker of the longest running straggler, if that would outlast all reserved
  /// work.
  [[nodiscard]] std::optional<CopyDecision> SpeculateOnStraggler(WorkerId worker, Instant now);

 private:
  /// For how long the worker has run a straggler; nothing if it runs none.
  [[nodiscard]] std::optional<Duration> StragglesFor(WorkerId worker, Instant now) const;
  [[nodiscard]] std::optional<WorkerId> LongestStraggler(Instant now);
  [[nodiscard]] double FastestThreadRate(Instant now);

  const StrategyContext& context_;
  const ReservedPool& pool_;
  const FinishPredictor& predictor_;
  const BalancingGoal& goal_;
  std::vector<bool> marked_;
  std::deque<WorkerId> stragglers_;  // the marked workers
  double fastest_ = 0;               // rate of a thread, as last computed
  Instant fastest_until_{};
  model::RangeSet just_copied_;  // in this round of decisions
};

}  // namespace evenkeel::scheduling
