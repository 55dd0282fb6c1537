#pragma once

#include "core/base/time.h"
#include "core/engine/commit_queue.h"
#include "core/engine/completion_policy.h"
#include "core/engine/membership.h"
#include "core/engine/result_verification.h"
#include "core/engine/run_statistics.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"
#include "core/engine/worker_lifecycle.h"
#include "core/model/cost_model.h"

namespace evenkeel::engine {

/// Leaves out nodes that gave wrong results: their workers are not admitted any more, and all their
/// results, of earlier starts too, are revoked and done again by others. The journal records the
/// revocation before any of the new results. Progress falls. Not thread-safe.
class NodeExclusion {
 public:
  /// All of them outlive this object.
  struct Parts {
    const model::CostModel& costs;
    Membership& membership;
    TaskLedger& ledger;
    CompletionPolicy& completion;
    RunStatistics& statistics;
    StrategyDriver& driver;
    ResultVerification& verification;
    CommitQueue& commits;
    WorkerLifecycle& lifecycle;
  };

  explicit NodeExclusion(const Parts& parts) : parts_(parts) {}

  /// Leaves out all nodes that the verification has found.
  void ExcludeFound(Instant now);

 private:
  void Exclude(const ResultVerification::Finding& finding, Instant now);
  void Revoke(scheduling::WorkerId worker, const model::RangeSet& results, Instant now);

  Parts parts_;
};

}  // namespace evenkeel::engine
