#include "coordinator/lower_bound.h"

#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "core/model/run_figures.h"

namespace evenkeel::coordinator {
namespace {

// Enough for tasks that cost nothing worth measuring.
constexpr int kMaxCalibrationRuns = 1'000'000;

LowerBound Bound(const model::CostModel& costs, bool estimates,
                 const std::vector<model::NodeCapacity>& nodes, const char* source) {
  const auto total = static_cast<double>(costs.Total());
  const auto tasks = static_cast<double>(std::max<std::int64_t>(costs.TaskCount(), 1));
  const model::WorkSize work{total,
                             estimates ? total / tasks : static_cast<double>(costs.Longest())};
  return {model::LowerBoundSeconds(work, nodes).value_or(0), source};
}

// Longer than this a task may not keep the end of a run waiting.
constexpr Duration kPatience = std::chrono::seconds(5);

/// Its token is stopped once kPatience is over.
class Patience {
 public:
  [[nodiscard]] std::stop_token Token() const { return too_long_.get_token(); }

 private:
  void Watch(const std::stop_token& gone) {
    std::mutex mutex;
    std::condition_variable_any over;
    std::unique_lock lock(mutex);
    over.wait_for(lock, gone, kPatience, [] { return false; });
    if (!gone.stop_requested()) too_long_.request_stop();
  }

  std::stop_source too_long_;
  std::jthread watch_{[this](const std::stop_token& gone) { Watch(gone); }};
};

// CPU time of this thread: other processes may be about, a core's speed is not theirs to change.
Duration CpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

LowerBound ComputeLowerBound(const workloads::Workload& workload,
                             const std::vector<NodeSpeed>& nodes, double units_per_core_second) {
  const bool declared = workload.DeclaredUnitsPerSecond() > 0;
  const double unit_rate = declared ? workload.DeclaredUnitsPerSecond() : units_per_core_second;
  std::vector<model::NodeCapacity> capacities;
  for (const NodeSpeed& node : nodes) {
    const double of_unit_rate = node.share * static_cast<double>(node.threads) * unit_rate;
    capacities.push_back(
        {unit_rate > 0 ? of_unit_rate : node.measured_rate.value_or(0), node.threads});
  }
  const bool estimates = workload.CostsAreEstimates();
  if (unit_rate <= 0) return Bound(*workload.Costs(), estimates, capacities, "measured");
  return Bound(*workload.TrueCosts(), estimates, capacities, declared ? "declared" : "calibrated");
}

double CalibrateCore(const workloads::Workload& workload, Duration budget) {
  const auto costs = workload.TrueCosts();
  const std::int64_t tasks = costs->TaskCount();
  if (workload.Sleeps() || !costs->Known() || costs->Total() <= 0) return 0;
  const auto runner = workload.MakeRunner({});
  const Duration start = CpuTime();
  // Steps of the golden ratio visit the whole job evenly, cheap and dear parts alike.
  constexpr std::uint32_t kGoldenStep = 0x9e3779b9U;
  std::uint32_t position = 0;
  model::Cost done = 0;
  Duration spent{};
  std::string result;
  workloads::TaskFailure failure;
  const Patience patience;
  for (int runs = 0; spent < budget && runs < kMaxCalibrationRuns; ++runs) {
    position += kGoldenStep;
    const auto index = static_cast<model::TaskIndex>(
        std::uint64_t{position} * static_cast<std::uint64_t>(tasks) >> 32);
    result.clear();
    const auto outcome = runner->Run({index, 0, {}}, patience.Token(), result, failure);
    if (outcome == workloads::TaskOutcome::kStopped) break;
    if (outcome != workloads::TaskOutcome::kDone) continue;
    done += costs->Of({index, index + 1});
    spent = CpuTime() - start;
  }
  return spent > Duration::zero() ? static_cast<double>(done) / ToSeconds(spent) : 0;
}

}  // namespace evenkeel::coordinator
