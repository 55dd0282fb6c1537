#include "coordinator/lower_bound.h"

#include <time.h>

#include <algorithm>
#include <stop_token>

#include "core/base/check.h"
#include "core/base/clock.h"

namespace evenkeel::coordinator {
namespace {

LowerBound Bound(const model::CostModel& costs, double speed_sum, double fastest_thread,
                 const char* source) {
  if (speed_sum <= 0 || fastest_thread <= 0) return {0, source};
  const double all = static_cast<double>(costs.Total()) / speed_sum;
  const double longest = static_cast<double>(costs.Longest()) / fastest_thread;
  return {std::max(all, longest), source};
}

/// What this thread has had of a core. A whole core is what is calibrated, however many others want
/// it at the same time.
Duration CoreTime() {
  timespec used{};
  EVENKEEL_CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) == 0, "threads have no clock");
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

LowerBound ComputeLowerBound(const workloads::Workload& workload,
                             const std::vector<NodeSpeed>& nodes, double units_per_core_second) {
  const bool declared = workload.DeclaredUnitsPerSecond() > 0;
  const double unit_rate = declared ? workload.DeclaredUnitsPerSecond() : units_per_core_second;
  double sum = 0;
  double fastest = 0;
  if (unit_rate > 0) {
    for (const NodeSpeed& node : nodes) {
      const double thread = node.share * unit_rate;
      sum += thread * static_cast<double>(node.threads);
      fastest = std::max(fastest, thread);
    }
    return Bound(*workload.TrueCosts(), sum, fastest, declared ? "declared" : "calibrated");
  }
  for (const NodeSpeed& node : nodes) {
    const double rate = node.measured_rate.value_or(0);
    sum += rate;
    fastest = std::max(fastest, rate / static_cast<double>(node.threads));
  }
  return Bound(*workload.Costs(), sum, fastest, "measured");
}

double CalibrateCore(const workloads::Workload& workload, Duration budget) {
  const auto costs = workload.TrueCosts();
  const std::int64_t tasks = costs->TaskCount();
  if (workload.Sleeps() || !costs->Known() || costs->Total() <= 0) return 0;
  const auto runner = workload.MakeRunner({});
  const SteadyClock clock;
  const Instant give_up = clock.Now() + 10 * budget;
  const Duration start = CoreTime();
  Duration used{};
  // A stride prime to most task counts visits the whole job, cheap and dear parts alike.
  constexpr std::uint64_t kGoldenStride = 0x9e3779b97f4a7c15ULL;
  std::uint64_t position = 0;
  model::Cost done = 0;
  std::string result;
  std::stop_source never;
  while (used < budget && clock.Now() < give_up) {
    position += kGoldenStride;
    const auto index =
        static_cast<model::TaskIndex>((position >> 32) * static_cast<std::uint64_t>(tasks) >> 32);
    const model::Cost cost = costs->Of({index, index + 1});
    result.clear();
    if (runner->Run(index, never.get_token(), result) != workloads::TaskOutcome::kDone) continue;
    done += cost;
    used = CoreTime() - start;
  }
  const double seconds = ToSeconds(used);
  return seconds > 0 ? static_cast<double>(done) / seconds : 0;
}

}  // namespace evenkeel::coordinator
