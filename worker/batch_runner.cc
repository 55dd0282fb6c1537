#include "worker/batch_runner.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include "core/base/check.h"
#include "core/base/printable.h"

namespace evenkeel::worker {
namespace {

constexpr int kOverrun = 3;
// The clock is read about so often, and after so many tasks at the latest: costs of neighbours may
// differ.
constexpr Duration kLookAtClock = std::chrono::microseconds(100);
constexpr std::int64_t kMostTasksBlindly = 64;
// Larger results are moved; smaller ones are copied, so that their buffer can be used again.
constexpr std::size_t kWorthTaking = 64 << 10;
// Maximum length of the text of an exception.
constexpr std::size_t kMaxReasonBytes = 512;

void SleepFor(Duration time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

BatchRunner::BatchRunner(std::unique_ptr<workloads::TaskRunner> runner, const Clock& clock,
                         std::optional<DutyCycle> duty_cycle, BatchLimits limits)
    : runner_(std::move(runner)), clock_(clock), limits_(limits), duty_cycle_(duty_cycle) {}

engine::BatchOutcome BatchRunner::Run(const engine::Batch& batch, TaskClaim& claim,
                                      workloads::RunLimit& limit, const std::stop_token& stop) {
  engine::BatchOutcome outcome;
  const Duration cpu_before = duty_cycle_ ? ProcessCpuTime() : Duration::zero();
  outcome.started = clock_.Now();
  if (batch.as_one_run) {
    RunAsOne(batch, limit, stop, outcome);
  } else {
    RunFront(batch, claim, stop, outcome);
  }
  outcome.waited = runner_->TakeWaited();
  // Without results nothing is reported; the next batch takes what has come meanwhile.
  if (outcome.results.Count() > 0) outcome.transfer = runner_->TakeTransfer();
  if (duty_cycle_) Pause(stop, cpu_before, outcome);
  outcome.busy = outcome.ended - outcome.started;
  return outcome;
}

void BatchRunner::RunFront(const engine::Batch& batch, TaskClaim& claim,
                           const std::stop_token& stop, engine::BatchOutcome& outcome) {
  Instant looked = outcome.started;  // the time after the first `then` tasks
  std::int64_t then = 0;
  std::int64_t look_after = 1;
  std::int64_t done = 0;
  while (outcome.results.Bytes().size() < limits_.result_bytes && !stop.stop_requested() &&
         claim.ClaimNext()) {
    const model::TaskIndex index = batch.range.begin + done;
    if (!RunOne({index, batch.attempt, batch.inputs.Of(index)}, stop, outcome)) {
      // The tasks since the last look share the time; with long tasks there are none but this one.
      // A batch is cut while its last task runs, so that one started before the cut.
      const Instant now = clock_.Now();
      const Duration each = (now - looked) / (done - then + 1);
      outcome.ended = std::max(looked, std::min(now - each, claim.CutAt()));
      if (outcome.failure) outcome.failure_busy = now - outcome.ended;
      return;
    }
    if (++done < look_after) continue;
    const Instant now = clock_.Now();
    const Duration each = std::max<Duration>((now - looked) / (done - then), Duration(1));
    looked = now;
    then = done;
    look_after = done + std::clamp<std::int64_t>(kLookAtClock / each, 1, kMostTasksBlindly);
    if (now - outcome.started >= kOverrun * limits_.batch) break;
  }
  outcome.ended = then == done ? looked : clock_.Now();
}

// The tasks that a run reported as done count, however it ends. If it fails behind the last one,
// that one runs again.
void BatchRunner::RunAsOne(const engine::Batch& batch, workloads::RunLimit& limit,
                           const std::stop_token& stop, engine::BatchOutcome& outcome) {
  const auto run = Guarded([&] {
    return runner_->RunRange(batch.range, batch.attempt, limit, stop, outcome.results, failure_);
  });
  const model::IndexRange kept = limit.End();
  const Instant now = clock_.Now();
  const std::size_t bytes = outcome.results.Bytes().size();
  const bool too_large = bytes > limits_.max_result_bytes;
  if (run == workloads::TaskOutcome::kDone && !too_large) {
    EVENKEEL_CHECK(outcome.results.Count() == kept.Size(), "a run without a result for each task");
    outcome.ended = now;
    return;
  }
  outcome.results = {};
  if (!too_large) {
    const model::TaskIndex end = std::min(limit.Next(), kept.end - 1);
    for (model::TaskIndex done = batch.range.begin; done < end; ++done) {
      outcome.results.Append(std::string_view());
    }
  }
  if (run == workloads::TaskOutcome::kDone) {
    outcome.failure.emplace().reason = TooLarge(bytes);
  } else {
    KeepReason(run, outcome);
  }
  const bool any_done = outcome.results.Count() > 0;
  outcome.ended = any_done ? now : outcome.started;
  if (outcome.failure && !any_done) outcome.failure_busy = now - outcome.started;
}

template <typename Call>
workloads::TaskOutcome BatchRunner::Guarded(const Call& call) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    failure_ = {"it could not allocate memory", {}, {}, model::FailureCause::kOutOfMemory};
  } catch (const std::exception& exception) {
    failure_ = {"exception: " + Printable(exception.what(), kMaxReasonBytes), {}, {}, {}};
  } catch (...) {
    failure_ = {"exception of an unknown type", {}, {}, {}};
  }
  return workloads::TaskOutcome::kFailed;
}

bool BatchRunner::RunOne(const workloads::TaskCall& call, const std::stop_token& stop,
                         engine::BatchOutcome& outcome) {
  result_.clear();
  const auto run = Guarded([&] { return runner_->Run(call, stop, result_, failure_); });
  if (run != workloads::TaskOutcome::kDone) {
    KeepReason(run, outcome);
    return false;
  }
  if (result_.size() > limits_.max_result_bytes) {
    outcome.failure.emplace().reason = TooLarge(result_.size());
    return false;
  }
  if (result_.size() >= kWorthTaking) {
    outcome.results.AppendTaking(result_);
  } else {
    outcome.results.Append(result_);
  }
  return true;
}

void BatchRunner::KeepReason(workloads::TaskOutcome outcome, engine::BatchOutcome& batch) {
  workloads::TaskFailure failure = std::exchange(failure_, {});
  BoundRecord(failure.record);
  switch (outcome) {
    case workloads::TaskOutcome::kStopped:
      batch.stopped_record = std::move(failure.record);
      return;
    case workloads::TaskOutcome::kFailed:
      batch.failure = std::move(failure);
      return;
    case workloads::TaskOutcome::kUnable:
      batch.unable = std::move(failure.reason);
      return;
    case workloads::TaskOutcome::kDone:
      return;
  }
}

std::string BatchRunner::TooLarge(std::size_t bytes) const {
  return "its result has " + std::to_string(bytes) + " bytes, " +
         std::to_string(limits_.max_result_bytes) + " are allowed";
}

// No message could carry it; the reason of the failure is worth more than the output.
void BatchRunner::BoundRecord(std::string& record) const {
  if (record.size() > limits_.max_result_bytes) record.clear();
}

void BatchRunner::Pause(const std::stop_token& stop, Duration cpu_before,
                        engine::BatchOutcome& outcome) {
  const Instant now = clock_.Now();
  const Duration cpu = ProcessCpuTime();
  // A slow board gains nothing by waiting for data, so that is no pause.
  const Duration pause = duty_cycle_->Spent(cpu - cpu_before, runner_->TakeCpuElsewhere(),
                                            now - outcome.started - outcome.waited);
  if (pause <= Duration::zero()) return;
  SleepFor(pause, stop);
  const Instant woke = clock_.Now();
  // A sleep that lasted too long shortens the next one.
  static_cast<void>(duty_cycle_->Spent(ProcessCpuTime() - cpu, {}, woke - now));
  // The front part takes the pause, less what a failed task of its own took.
  outcome.ended = woke - outcome.failure_busy;
}

}  // namespace evenkeel::worker
