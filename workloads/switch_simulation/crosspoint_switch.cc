#include "workloads/switch_simulation/crosspoint_switch.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "workloads/switch_simulation/schedulers.h"
#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {

std::uint32_t DelayHistogram::LastAt(std::size_t index) {
  if (index < kExact) return static_cast<std::uint32_t>(index);
  const auto beyond = static_cast<std::uint32_t>(index - kExact);
  const std::uint32_t shift = beyond / kStepsPerDoubling + 1;
  const std::uint64_t step = beyond % kStepsPerDoubling + kStepsPerDoubling;
  return static_cast<std::uint32_t>(((step + 1) << shift) - 1);
}

std::uint32_t DelayHistogram::Percentile(std::uint32_t percent, std::uint64_t count) const {
  if (count == 0) return 0;
  const std::uint64_t rank = (count * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (std::size_t index = 0; index < kSize; ++index) {
    seen += counts_[index];
    if (seen >= rank) return std::min(LastAt(index), longest_);
  }
  return longest_;
}

void OutputQueues::Grow() {
  std::vector<std::uint32_t> old = std::move(slots_);
  const std::uint32_t old_bits = ring_bits_++;
  const std::uint32_t old_mask = (std::uint32_t{1} << old_bits) - 1;
  slots_.assign(std::size_t{ports_} << ring_bits_, 0);
  for (std::uint32_t input = 0; input < ports_; ++input) {
    for (std::uint32_t n = 0; n < lengths_[input]; ++n) {
      const std::uint32_t position = heads_[input] + n;
      slots_[PlaceOf(input, position)] =
          old[(std::size_t{input} << old_bits) + (position & old_mask)];
    }
  }
}

namespace {

/// Outputs are independent, so each is simulated for a whole block at a time: its queues and its
/// scheduler then stay in the first-level cache.
template <typename Scheduler>
class ScheduledSwitch final : public CrosspointSwitch {
 public:
  ScheduledSwitch(const SwitchShape& shape, std::uint64_t stream) {
    outputs_.reserve(shape.ports);
    for (std::uint32_t output = 0; output < shape.ports; ++output) {
      outputs_.push_back(Output{OutputQueues(shape.ports, shape.buffer_size),
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
    OutputQueues queues;
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
                 "an InputSet holds at most kMaxPorts inputs");
  EVENKEEL_CHECK(shape.buffer_size >= 1, "a queue holds at least one cell");
  const std::uint64_t stream = ChoiceStream(seed);
  switch (algorithm) {
    case Algorithm::kLqf:
      return std::make_unique<ScheduledSwitch<LongestQueueFirst>>(shape, stream);
    case Algorithm::kRr:
      return std::make_unique<ScheduledSwitch<RoundRobin>>(shape, stream);
    case Algorithm::kErr:
      return std::make_unique<ScheduledSwitch<Exhaustive<RoundRobin>>>(shape, stream);
    case Algorithm::kFbrr:
      return std::make_unique<ScheduledSwitch<FrameBased<RoundRobin>>>(shape, stream);
    case Algorithm::kEelqf:
      return std::make_unique<ScheduledSwitch<EarlyExitExhaustive>>(shape, stream);
    case Algorithm::kElqf:
      return std::make_unique<ScheduledSwitch<Exhaustive<LongestQueueFirst>>>(shape, stream);
    case Algorithm::kFblqf:
      return std::make_unique<ScheduledSwitch<FrameBased<LongestQueueFirst>>>(shape, stream);
    case Algorithm::kRand:
      break;
  }
  return std::make_unique<ScheduledSwitch<RandomQueue>>(shape, stream);
}

}  // namespace evenkeel::workloads::switch_simulation
