#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace evenkeel::workloads::switch_simulation {

/// How often each delay occurred. Delays below 4,096 slots are counted each for itself, longer ones
/// in steps of at most 1/2,048 of their length. Memory: 352 KiB. Not thread-safe.
class DelayHistogram {
 public:
  void Add(std::uint32_t delay) {
    ++counts_[IndexOf(delay)];
    sum_ += delay;
    if (delay > longest_) longest_ = delay;
  }

  /// Of all delays, in slots.
  [[nodiscard]] std::uint64_t Sum() const { return sum_; }
  [[nodiscard]] std::uint32_t Longest() const { return longest_; }
  /// The least delay that at least `percent` per cent of `count` cells, which is how many were
  /// added, did not exceed; of longer ones the end of their step. 0 without cells.
  [[nodiscard]] std::uint32_t Percentile(std::uint32_t percent, std::uint64_t count) const;

 private:
  static constexpr int kExactBits = 12;
  static constexpr std::uint32_t kExact = std::uint32_t{1} << kExactBits;
  static constexpr std::uint32_t kStepsADoubling = kExact / 2;
  static constexpr std::size_t kSize = kExact + (32 - kExactBits) * kStepsADoubling;

  [[nodiscard]] static std::size_t IndexOf(std::uint32_t delay) {
    if (delay < kExact) return delay;
    const auto shift = static_cast<std::uint32_t>(std::bit_width(delay)) - kExactBits;
    return kExact + (shift - 1) * kStepsADoubling + (delay >> shift) - kStepsADoubling;
  }
  /// The longest delay that is counted at this index.
  [[nodiscard]] static std::uint32_t LastAt(std::size_t index);

  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(kSize, 0);
  std::uint64_t sum_ = 0;
  std::uint32_t longest_ = 0;
};

}  // namespace evenkeel::workloads::switch_simulation
