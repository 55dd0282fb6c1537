#include "workloads/switch_simulation/switch_runner.h"

#include <algorithm>

#include "core/base/check.h"
#include "workloads/switch_simulation/crosspoint_switch.h"
#include "workloads/switch_simulation/switch_simulation.h"
#include "workloads/switch_simulation/task_result.h"
#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

std::uint64_t CellsIn(const CrosspointSwitch& crosspoints, std::uint32_t ports) {
  std::uint64_t cells = 0;
  for (std::uint32_t input = 0; input < ports; ++input) {
    for (std::uint32_t output = 0; output < ports; ++output) {
      cells += crosspoints.QueueLength(input, output);
    }
  }
  return cells;
}

class SwitchRunner final : public TaskRunner {
 public:
  explicit SwitchRunner(const SwitchSpec& spec) : spec_(spec) {}

  TaskOutcome Run(const TaskCall& call, std::stop_token stop, std::string& result,
                  TaskFailure&) override {
    EVENKEEL_CHECK(0 <= call.index && call.index < TaskCountOf(spec_),
                   "a task that the job does not have");
    const TaskPlace place = PlaceOf(spec_, call.index);
    const std::uint64_t seed = spec_.seeds[place.seed];
    const Traffic traffic(spec_.ports, spec_.loads[place.load], seed);
    const auto crosspoints =
        MakeCrosspointSwitch({spec_.ports, spec_.buffer_sizes[place.buffer_size]},
                             spec_.algorithms[place.algorithm], seed);
    for (std::uint32_t slot = 0; slot < spec_.slots; slot += arrivals_.Slots()) {
      if (stop.stop_requested()) return TaskOutcome::kStopped;
      traffic.Fill(slot, std::min(ArrivalBlock::kMaxSlots, spec_.slots - slot), arrivals_);
      crosspoints->Run(arrivals_);
    }
    AppendResult(ResultOf(*crosspoints), result);
    return TaskOutcome::kDone;
  }

 private:
  [[nodiscard]] TaskResult ResultOf(const CrosspointSwitch& crosspoints) const {
    const CellCounts& counts = crosspoints.Counts();
    const DelayHistogram& delays = crosspoints.Delays();
    TaskResult result;
    result.arrived = counts.arrived;
    result.departed = counts.departed;
    result.lost = counts.lost;
    result.queued = CellsIn(crosspoints, spec_.ports);
    result.delay_sum = delays.Sum();
    result.delay_p50 = delays.Percentile(50, counts.departed);
    result.delay_p95 = delays.Percentile(95, counts.departed);
    result.delay_p99 = delays.Percentile(99, counts.departed);
    result.delay_longest = delays.Longest();
    return result;
  }

  const SwitchSpec& spec_;
  ArrivalBlock arrivals_;
};

}  // namespace

std::unique_ptr<TaskRunner> MakeSwitchRunner(const SwitchSpec& spec) {
  return std::make_unique<SwitchRunner>(spec);
}

}  // namespace evenkeel::workloads::switch_simulation
