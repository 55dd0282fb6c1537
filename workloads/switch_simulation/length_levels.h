#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {

/// Which queues have which length, so that the longest are known without looking at each: a cell
/// that comes or goes moves its queue one level up or down. Memory: 4 bytes a length that occurred.
class LengthLevels {
 public:
  /// `now` is the length of the queue after a cell has come.
  void Pushed(std::uint32_t input, std::uint32_t now) {
    if (now >= levels_.size()) levels_.resize(2 * levels_.size(), 0);
    levels_[now - 1] &= ~(InputSet{1} << input);
    levels_[now] |= InputSet{1} << input;
    longest_ = std::max(longest_, now);
  }
  /// `now` is the length of the queue after a cell has gone.
  void Popped(std::uint32_t input, std::uint32_t now) {
    levels_[now + 1] &= ~(InputSet{1} << input);
    levels_[now] |= InputSet{1} << input;
    // If it was the only one of the longest, it still is one of them, a cell shorter.
    if (levels_[longest_] == 0) --longest_;
  }
  [[nodiscard]] std::uint32_t LongestLength() const { return longest_; }
  [[nodiscard]] InputSet Longest() const { return levels_[longest_]; }

 private:
  std::vector<InputSet> levels_ = std::vector<InputSet>(8, 0);
  std::uint32_t longest_ = 0;
};

}  // namespace evenkeel::workloads::switch_simulation
