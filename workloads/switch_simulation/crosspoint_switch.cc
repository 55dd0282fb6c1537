#include "workloads/switch_simulation/crosspoint_switch.h"

#include <bit>
#include <vector>

#include "core/base/check.h"
#include "workloads/switch_simulation/queue_column.h"
#include "workloads/switch_simulation/schedulers.h"
#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {
namespace {

/// Outputs share nothing but the slots, so each is simulated through a whole block at a time: its
/// queues and its scheduler then stay in the nearest cache.
template <typename Scheduler>
class SwitchOf final : public CrosspointSwitch {
 public:
  SwitchOf(const SwitchShape& shape, std::uint64_t stream) {
    outputs_.reserve(shape.ports);
    for (std::uint32_t output = 0; output < shape.ports; ++output) {
      outputs_.push_back(Output{QueueColumn(shape.ports, shape.buffer_size),
                                Scheduler(SchedulerSetup{stream, output, shape.ports})});
    }
  }

  void Run(const ArrivalBlock& block) override {
    for (std::uint32_t output = 0; output < outputs_.size(); ++output) {
      RunOutput(outputs_[output], block.Of(output), block.FirstSlot(), block.Slots());
    }
  }

  [[nodiscard]] const CellCounts& Counts() const override { return counts_; }
  [[nodiscard]] const DelayHistogram& Delays() const override { return delays_; }
  [[nodiscard]] std::uint32_t QueueLength(std::uint32_t input,
                                          std::uint32_t output) const override {
    return outputs_[output].queues.Length(input);
  }

 private:
  struct Output {
    QueueColumn queues;
    Scheduler scheduler;
  };

  void RunOutput(Output& output, const InputSet* arrivals, std::uint32_t first_slot,
                 std::uint32_t slots) {
    CellCounts counts;
    for (std::uint32_t n = 0; n < slots; ++n) {
      Arrive(output, arrivals[n], first_slot + n, counts);
      if (output.queues.NotEmpty() == 0) continue;
      Depart(output, first_slot + n);
      ++counts.departed;
    }
    counts_.arrived += counts.arrived;
    counts_.departed += counts.departed;
    counts_.lost += counts.lost;
  }

  static void Arrive(Output& output, InputSet inputs, std::uint32_t slot, CellCounts& counts) {
    for (; inputs != 0; inputs &= inputs - 1) {
      const auto input = static_cast<std::uint32_t>(std::countr_zero(inputs));
      ++counts.arrived;
      if (output.queues.Full(input)) {
        ++counts.lost;
      } else {
        output.scheduler.Pushed(input, output.queues.Push(input, slot));
      }
    }
  }

  void Depart(Output& output, std::uint32_t slot) {
    const std::uint32_t input = output.scheduler.Select(output.queues, slot);
    delays_.Add(slot - output.queues.Pop(input));
    output.scheduler.Popped(input, output.queues.Length(input));
  }

  std::vector<Output> outputs_;
  CellCounts counts_;
  DelayHistogram delays_;
};

}  // namespace

std::unique_ptr<CrosspointSwitch> MakeCrosspointSwitch(const SwitchShape& shape,
                                                       Algorithm algorithm, std::uint64_t seed) {
  EVENKEEL_CHECK(2 <= shape.ports && shape.ports <= kMaxPorts,
                 "a switch with more inputs than a set holds");
  EVENKEEL_CHECK(shape.buffer_size >= 1, "a switch that can keep no cell");
  const std::uint64_t stream = ChoiceStream(seed);
  switch (algorithm) {
    case Algorithm::kLqf:
      return std::make_unique<SwitchOf<LongestFirst>>(shape, stream);
    case Algorithm::kRr:
      return std::make_unique<SwitchOf<InTurn>>(shape, stream);
    case Algorithm::kErr:
      return std::make_unique<SwitchOf<Exhaustive<InTurn>>>(shape, stream);
    case Algorithm::kFbrr:
      return std::make_unique<SwitchOf<FrameBased<InTurn>>>(shape, stream);
    case Algorithm::kEelqf:
      return std::make_unique<SwitchOf<EarlyLeaving>>(shape, stream);
    case Algorithm::kElqf:
      return std::make_unique<SwitchOf<Exhaustive<LongestFirst>>>(shape, stream);
    case Algorithm::kFblqf:
      return std::make_unique<SwitchOf<FrameBased<LongestFirst>>>(shape, stream);
    case Algorithm::kRand:
      break;
  }
  return std::make_unique<SwitchOf<AtRandom>>(shape, stream);
}

}  // namespace evenkeel::workloads::switch_simulation
