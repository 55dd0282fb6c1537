#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/clock.h"
#include "core/engine/worker.h"
#include "worker/duty_cycle.h"
#include "worker/task_claim.h"
#include "workloads/run_limit.h"
#include "workloads/workload.h"

namespace evenkeel::worker {

struct BatchLimits {
  /// Intended length of a batch; one that lasts three times as long ends early.
  Duration batch = std::chrono::milliseconds(4);
  /// A batch ends early when its results reach this size.
  std::size_t result_bytes = 1 << 20;
  /// A larger result is a failure of its task, because no message could carry it.
  std::size_t max_result_bytes = 15 << 20;
};

/// Runs batches of tasks on one thread: the clock is read a few times per millisecond at most, and
/// nothing is allocated for a task. Not thread-safe.
class BatchRunner {
 public:
  /// `clock` must outlive this. Without `duty_cycle` there are no pauses.
  BatchRunner(std::unique_ptr<workloads::TaskRunner> runner, const Clock& clock,
              std::optional<DutyCycle> duty_cycle, BatchLimits limits = {});

  /// Runs the tasks of `batch` in order, each after it was claimed, until none can be claimed, one
  /// fails, `stop` is requested or a limit is reached. The pause that a share asks for is part of
  /// the batch's time, as it would be on a board that is slow by nature.
  /// A batch that is one run does what `limit` leaves it.
  [[nodiscard]] engine::BatchOutcome Run(const engine::Batch& batch, TaskClaim& claim,
                                         workloads::RunLimit& limit, const std::stop_token& stop);

 private:
  /// True if the task is done and its result kept.
  bool RunOne(const workloads::TaskCall& call, const std::stop_token& stop,
              engine::BatchOutcome& outcome);
  void RunFront(const engine::Batch& batch, TaskClaim& claim, const std::stop_token& stop,
                engine::BatchOutcome& outcome);
  void RunAsOne(const engine::Batch& batch, workloads::RunLimit& limit, const std::stop_token& stop,
                engine::BatchOutcome& outcome);
  /// Calls `call`, which returns a TaskOutcome; an exception is the failure of the task.
  template <typename Call>
  workloads::TaskOutcome Guarded(const Call& call);
  /// Takes over what the runner said of a task that is not done.
  void KeepReason(workloads::TaskOutcome outcome, engine::BatchOutcome& batch);
  void BoundRecord(std::string& record) const;
  [[nodiscard]] std::string TooLarge(std::size_t bytes) const;
  void Pause(const std::stop_token& stop, Duration cpu_before, engine::BatchOutcome& outcome);

  std::unique_ptr<workloads::TaskRunner> runner_;
  const Clock& clock_;
  BatchLimits limits_;
  std::optional<DutyCycle> duty_cycle_;
  std::string result_;  // of the task that runs; kept for its memory
  workloads::TaskFailure failure_;
};

}  // namespace evenkeel::worker
