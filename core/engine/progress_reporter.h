#pragma once

#include <optional>

#include "core/base/time.h"
#include "core/engine/completion_policy.h"
#include "core/engine/crash_isolation.h"
#include "core/engine/membership.h"
#include "core/engine/progress.h"
#include "core/engine/result_verification.h"
#include "core/engine/run_statistics.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"
#include "core/model/cost_model.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// Snapshots of a run for people, and predictions of its end. Reads the other parts and decides
/// nothing. Not thread-safe.
class ProgressReporter {
 public:
  /// All of them outlive the reporter.
  struct Parts {
    const model::CostModel& costs;
    const scheduling::TimingEstimator& estimator;
    const TaskLedger& ledger;
    const Membership& membership;
    const CrashIsolation& isolation;
    const CompletionPolicy& completion;
    const ResultVerification& verification;
    const StrategyDriver& driver;
    RunStatistics& statistics;
  };
  struct Prediction {
    Duration left;
    Duration sigma;
  };

  explicit ProgressReporter(const Parts& parts) : parts_(parts) {}

  /// When the job will end; nothing while no worker is connected or measured. O(workers).
  [[nodiscard]] std::optional<Prediction> PredictEnd(Instant now) const;
  /// Adds the prediction to the timeline if one is due.
  void RecordPrediction(Instant now);
  /// O(workers).
  [[nodiscard]] Progress Snapshot(Instant now) const;

 private:
  [[nodiscard]] model::RangeStatistics RangesOf(scheduling::WorkerId worker) const;

  Parts parts_;
};

}  // namespace evenkeel::engine
