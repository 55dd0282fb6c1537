#pragma once

#include <string>

#include "core/engine/commit_queue.h"
#include "core/engine/completion_policy.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/effects.h"
#include "core/engine/membership.h"
#include "core/engine/result_verification.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"

namespace evenkeel::engine {

/// Ends the job on the verdict of its completion policy, or stops it in good order, and keeps
/// whether it has ended. Nothing is ended twice: later calls do nothing. Not thread-safe.
class JobEnding {
 public:
  /// All of them outlive this object.
  struct Parts {
    const TaskLedger& ledger;
    const Membership& membership;
    CompletionPolicy& completion;
    const CommitQueue& commits;
    const ResultVerification& verification;
    StrategyDriver& driver;
    EffectOutbox& outbox;
  };

  /// `keep_workers`: a coordinator that stops before the end of the job does not finish its
  /// workers.
  JobEnding(const Parts& parts, bool keep_workers) : parts_(parts), keep_workers_(keep_workers) {}

  [[nodiscard]] bool Ended() const { return ended_; }
  /// Ends the job if its completion policy has a verdict.
  void EndIfOver();
  /// Ends this start of the coordinator if it drains, and all leased tasks are reported or the
  /// time for that is over.
  void EndIfDrained(Instant now);
  /// Recalls what has not started and lets running tasks report within `grace`. The second time it
  /// ends this start of the coordinator at once.
  void Interrupt(const std::string& reason, Duration grace, Instant now);
  /// The job is over.
  void End(const CompletionPolicy::Verdict& verdict);
  /// This start of the coordinator is over, the job is not.
  void Break(EndJob end);

 private:
  void SendFinish(const std::string& reason);

  Parts parts_;
  bool keep_workers_;
  bool ended_ = false;
};

}  // namespace evenkeel::engine
