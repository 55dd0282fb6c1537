#include "workloads/switch_simulation/traffic.h"

#include "core/base/check.h"
#include "core/base/splitmix.h"

namespace evenkeel::workloads::switch_simulation {

std::uint64_t TrafficStream(std::uint64_t seed) { return SplitMixAt(seed, 0); }
std::uint64_t ChoiceStream(std::uint64_t seed) { return SplitMixAt(seed, 1); }

Traffic::Traffic(std::uint32_t ports, double load, std::uint64_t seed)
    : ports_(ports),
      arrives_below_(static_cast<std::uint64_t>(load * 0x1.0p32)),
      stream_(TrafficStream(seed)) {
  EVENKEEL_CHECK(2 <= ports && ports <= kMaxPorts, "an InputSet holds at most kMaxPorts inputs");
  EVENKEEL_CHECK(0 < load && load <= 1, "the load is a probability");
}

void Traffic::Fill(std::uint32_t first_slot, std::uint32_t slots, ArrivalBlock& block) const {
  block.Clear(ports_, first_slot, slots);
  // One hash yields two random numbers.
  const std::uint32_t pairs = (ports_ + 1) / 2;
  std::uint64_t index = std::uint64_t{first_slot} * pairs;
  for (std::uint32_t n = 0; n < slots; ++n) {
    for (std::uint32_t input = 0; input < ports_; input += 2) {
      const std::uint64_t drawn = SplitMixAt(stream_, index++);
      Draw(drawn >> 32, n, input, block);
      if (input + 1 < ports_) Draw(drawn & 0xffffffffU, n, input + 1, block);
    }
  }
}

void Traffic::Draw(std::uint64_t drawn, std::uint32_t n, std::uint32_t input,
                   ArrivalBlock& block) const {
  // The integer part of drawn / 2^32 x ports is the output; the fraction is independent of it.
  const std::uint64_t scaled = drawn * ports_;
  const std::uint32_t arrives = (scaled & 0xffffffffU) < arrives_below_ ? 1 : 0;
  block.Add(n, input, static_cast<std::uint32_t>(scaled >> 32), arrives);
}

}  // namespace evenkeel::workloads::switch_simulation
