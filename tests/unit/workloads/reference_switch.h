#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "workloads/switch_simulation/algorithm.h"

namespace evenkeel::workloads::switch_simulation {

/// A crosspoint-queued switch written from the definitions in docs/workloads.md, for clarity and
/// not for speed: the yardstick for the fast one. Only the draws of RAND are those of the fast one.
class ReferenceSwitch {
 public:
  ReferenceSwitch(int ports, int buffer_size, Algorithm algorithm, std::uint64_t seed);

  /// One slot; `destinations[input]` is the output that its cell is for, if it has one.
  void Step(const std::vector<std::optional<int>>& destinations);

  [[nodiscard]] std::size_t QueueLength(int input, int output) const;
  [[nodiscard]] std::uint64_t Arrived() const { return arrived_; }
  [[nodiscard]] std::uint64_t Lost() const { return lost_; }
  /// The delay of every cell that departed, in the order of departure (outputs ascending).
  [[nodiscard]] const std::vector<std::uint64_t>& Delays() const { return delays_; }

 private:
  struct Output {
    std::vector<std::deque<std::uint64_t>> queues;  // slots of arrival, by input
    int last_served = -1;
    std::optional<int> chosen;   // of the exhaustive and frame-based ones
    std::size_t frame_left = 0;  // cells that the chosen one may still send
  };

  [[nodiscard]] int Choose(Output& output, int number);
  [[nodiscard]] std::optional<int> Kept(const Output& output) const;
  [[nodiscard]] int NextInTurn(const Output& output) const;
  [[nodiscard]] int Longest(const Output& output) const;
  [[nodiscard]] int AtRandom(const Output& output, int number) const;

  int ports_;
  std::size_t buffer_size_;
  Algorithm algorithm_;
  std::uint64_t seed_;
  std::uint64_t slot_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<std::uint64_t> delays_;
  std::vector<Output> outputs_;
};

}  // namespace evenkeel::workloads::switch_simulation
