#include "workloads/synthetic/synthetic_runner.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "core/base/check.h"
#include "workloads/little_endian.h"

namespace evenkeel::workloads::synthetic {
namespace {

Duration ThreadCpuTime() {
  timespec used{};
  EVENKEEL_CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0,
                 "this thread's CPU time cannot be read");
  return std::chrono::seconds(used.tv_sec) + Duration(used.tv_nsec);
}

/// A few microseconds of arithmetic that the compiler may not leave out: long beside reading the
/// clock, short beside any task.
void Burn() {
  constexpr int kSteps = 1'000;
  volatile std::uint32_t sink = 1;
  for (int n = 0; n < kSteps; ++n) sink = sink * 1'664'525U + 1'013'904'223U;
}

}  // namespace

bool SleepFor(Duration time, const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  if (time <= Duration::zero()) return true;
  const auto deadline = std::chrono::steady_clock::now() + time;
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_until(lock, stop, deadline, [] { return false; });
  return std::chrono::steady_clock::now() >= deadline;
}

bool SpinFor(Duration time, const std::stop_token& stop) {
  const Duration end = ThreadCpuTime() + time;
  while (!stop.stop_requested()) {
    if (ThreadCpuTime() >= end) return true;
    Burn();
  }
  return false;
}

namespace {

class SyntheticRunner final : public TaskRunner {
 public:
  SyntheticRunner(const SyntheticSpec& spec, const TaskCosts& costs, double speed)
      : spec_(spec), costs_(costs), speed_(speed) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure& failure) override {
    const model::TaskIndex index = call.index;
    EVENKEEL_CHECK(0 <= index && index < spec_.tasks, "a task that the job does not have");
    const bool fails = call.attempt < spec_.failing_attempts.value_or(call.attempt + 1);
    if (fails && std::binary_search(spec_.failing.begin(), spec_.failing.end(), index)) {
      failure.reason = "injected failure";
      failure.exit_code = spec_.exit_code;
      return TaskOutcome::kFailed;
    }
    if (!Work(index, stop)) return TaskOutcome::kStopped;
    AppendLittleEndian(static_cast<std::uint64_t>(index), result);
    AppendLittleEndian(TaskHash(spec_.seed, index), result);
    return TaskOutcome::kDone;
  }

 private:
  [[nodiscard]] bool Work(model::TaskIndex index, const std::stop_token& stop) const {
    switch (spec_.mode) {
      case Mode::kSleep:
        return SleepFor(FromSeconds(ToSeconds(costs_.Of(index)) / speed_), stop);
      case Mode::kSpin:
        return SpinFor(costs_.Of(index), stop);
      case Mode::kNone:
        break;
    }
    return true;
  }

  const SyntheticSpec& spec_;
  const TaskCosts& costs_;
  double speed_;
};

}  // namespace

std::unique_ptr<TaskRunner> MakeSyntheticRunner(const SyntheticSpec& spec, const TaskCosts& costs,
                                                const RunnerOptions& options) {
  EVENKEEL_CHECK(options.speed > 0, "the speed of a node is positive");
  return std::make_unique<SyntheticRunner>(spec, costs, options.speed);
}

}  // namespace evenkeel::workloads::synthetic
