#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {

/// Groups queues by length, so that the longest ones are found in constant time. Memory: 4 bytes
/// for each length that occurred.
class QueuesByLength {
 public:
  /// `now` is the length of the queue after a cell was appended.
  void Pushed(std::uint32_t input, std::uint32_t now) {
    if (now >= queues_by_length_.size()) queues_by_length_.resize(2 * queues_by_length_.size(), 0);
    queues_by_length_[now - 1] &= ~(InputSet{1} << input);
    queues_by_length_[now] |= InputSet{1} << input;
    longest_ = std::max(longest_, now);
  }
  /// `now` is the length of the queue after a cell was removed.
  void Popped(std::uint32_t input, std::uint32_t now) {
    queues_by_length_[now + 1] &= ~(InputSet{1} << input);
    queues_by_length_[now] |= InputSet{1} << input;
    // If it was the only longest queue, it is still one of the longest, one cell shorter.
    if (queues_by_length_[longest_] == 0) --longest_;
  }
  [[nodiscard]] std::uint32_t LongestLength() const { return longest_; }
  [[nodiscard]] InputSet Longest() const { return queues_by_length_[longest_]; }

 private:
  std::vector<InputSet> queues_by_length_ = std::vector<InputSet>(8, 0);
  std::uint32_t longest_ = 0;
};

}  // namespace evenkeel::workloads::switch_simulation
