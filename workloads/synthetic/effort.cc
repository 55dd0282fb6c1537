#include "workloads/synthetic/effort.h"

#include <time.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "core/base/check.h"

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

}  // namespace evenkeel::workloads::synthetic
