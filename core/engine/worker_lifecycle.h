#pragma once

#include <string>

#include "core/engine/coordinator_config.h"
#include "core/engine/crash_isolation.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/lease_reclaimer.h"
#include "core/engine/membership.h"
#include "core/engine/messages.h"
#include "core/engine/result_intake.h"
#include "core/engine/retry_policy.h"
#include "core/engine/run_statistics.h"
#include "core/engine/strategy_driver.h"
#include "core/engine/task_ledger.h"
#include "core/engine/withheld_placement.h"
#include "core/scheduling/timing_estimator.h"

namespace evenkeel::engine {

/// Detail of the lost event of a worker that said goodbye.
inline constexpr const char* kLeftInGoodOrder = "left in good order";

/// Workers that come, come back, and go: admits their streams, tells a process that is back from
/// one that replaces it, expires leases, and has the tasks of a worker that is gone reclaimed. A
/// worker that is absent has no lease. Not thread-safe.
class WorkerLifecycle {
 public:
  using WorkerId = scheduling::WorkerId;

  /// All of them outlive the lifecycle.
  struct Parts {
    const CoordinatorConfig& config;
    Membership& membership;
    scheduling::TimingEstimator& estimator;
    TaskLedger& ledger;
    RetryPolicy& retries;
    CrashIsolation& isolation;
    RunStatistics& statistics;
    StrategyDriver& driver;
    WithheldPlacement& placement;
    LeaseReclaimer& reclaimer;
    ResultIntake& intake;
    EffectOutbox& outbox;
  };

  explicit WorkerLifecycle(const Parts& parts) : parts_(parts) {}

  /// A node of the job, in all parts; the strategy is not notified.
  WorkerId AddNode(const ExpectedNode& node, Instant now);
  /// The first message of a new stream. Returns false, and changes nothing, if the worker has
  /// spoken to a later start of the coordinator: this one must stop.
  [[nodiscard]] bool Admit(StreamId stream, const Hello& hello, Instant now);
  void OnStreamClosed(StreamId stream, Instant now);
  /// The worker starts no more tasks.
  void OnDraining(WorkerId worker);
  /// The worker leaves the job. `in_good_order`: its process did not die.
  void Lose(WorkerId worker, const std::string& why, bool in_good_order, Instant now);
  /// Workers whose lease or whose time to reconnect is over lose their tasks.
  void ExpireLeases(Instant now);

 private:
  /// Whether the worker has spoken to a later start of the coordinator.
  [[nodiscard]] bool IsOfLaterStart(const Hello& hello) const;
  [[nodiscard]] WorkerId FindOrAddNode(const Hello& hello, Instant now);
  /// `can_have_run`: the process before this one had time to run tasks.
  void AttachProcess(WorkerId worker, const Hello& hello, bool can_have_run, Instant now);
  void CancelStale(WorkerId worker, const Hello& hello);
  void GiveTasksToOthers(WorkerId worker, bool in_good_order, Instant now);

  Parts parts_;
};

}  // namespace evenkeel::engine
