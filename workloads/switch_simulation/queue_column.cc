#include "workloads/switch_simulation/queue_column.h"

#include <utility>

namespace evenkeel::workloads::switch_simulation {

void QueueColumn::Grow() {
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

}  // namespace evenkeel::workloads::switch_simulation
