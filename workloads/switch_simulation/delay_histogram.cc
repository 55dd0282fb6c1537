#include "workloads/switch_simulation/delay_histogram.h"

#include <algorithm>

namespace evenkeel::workloads::switch_simulation {

std::uint32_t DelayHistogram::LastAt(std::size_t index) {
  if (index < kExact) return static_cast<std::uint32_t>(index);
  const auto beyond = static_cast<std::uint32_t>(index - kExact);
  const std::uint32_t shift = beyond / kStepsADoubling + 1;
  const std::uint64_t step = beyond % kStepsADoubling + kStepsADoubling;
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

}  // namespace evenkeel::workloads::switch_simulation
