#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workloads/switch_simulation/arrivals.h"

namespace evenkeel::workloads::switch_simulation {

/// The queues of one output, one an input, each of at most `capacity` cells. Of a cell only the
/// slot of its arrival is kept. Memory: 4 bytes a cell for as many cells in every queue as the
/// longest ever had, rounded up to a power of two; it is got while queues still grow to new
/// lengths, not slot by slot.
class QueueColumn {
 public:
  explicit QueueColumn(std::uint32_t ports, std::uint32_t capacity)
      : ports_(ports), capacity_(capacity), slots_(std::size_t{ports} << ring_bits_) {}

  [[nodiscard]] std::uint32_t Capacity() const { return capacity_; }
  [[nodiscard]] InputSet NotEmpty() const { return not_empty_; }
  [[nodiscard]] bool Full(std::uint32_t input) const { return lengths_[input] == capacity_; }
  [[nodiscard]] std::uint32_t Length(std::uint32_t input) const { return lengths_[input]; }

  /// A cell joins a queue that is not full; returns the new length.
  std::uint32_t Push(std::uint32_t input, std::uint32_t slot) {
    const std::uint32_t length = lengths_[input];
    if (length >> ring_bits_ != 0) Grow();
    slots_[PlaceOf(input, heads_[input] + length)] = slot;
    not_empty_ |= InputSet{1} << input;
    return lengths_[input] = length + 1;
  }
  /// The first cell leaves a queue that is not empty; returns the slot of its arrival.
  std::uint32_t Pop(std::uint32_t input) {
    const std::uint32_t slot = slots_[PlaceOf(input, heads_[input]++)];
    const InputSet is_empty = --lengths_[input] == 0 ? 1 : 0;
    not_empty_ ^= is_empty << input;
    return slot;
  }

 private:
  [[nodiscard]] std::size_t PlaceOf(std::uint32_t input, std::uint32_t position) const {
    const std::uint32_t ring_mask = (std::uint32_t{1} << ring_bits_) - 1;
    return (std::size_t{input} << ring_bits_) + (position & ring_mask);
  }
  /// Doubles every ring; cells keep their order.
  void Grow();

  std::uint32_t ports_;
  std::uint32_t capacity_;
  std::uint32_t ring_bits_ = 2;
  InputSet not_empty_ = 0;
  std::array<std::uint32_t, kMaxPorts> lengths_{};
  std::array<std::uint32_t, kMaxPorts> heads_{};  // positions count on for ever
  std::vector<std::uint32_t> slots_;
};

}  // namespace evenkeel::workloads::switch_simulation
