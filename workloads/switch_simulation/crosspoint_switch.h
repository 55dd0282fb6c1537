#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/switch_simulation/algorithm.h"
#include "workloads/switch_simulation/traffic.h"

namespace evenkeel::workloads::switch_simulation {

/// A histogram of delays. Delays below 4,096 slots are counted exactly, longer ones in bins of at
/// most 1/2,048 of their length. Memory: 352 KiB. Not thread-safe.
class DelayHistogram {
 public:
  void Add(std::uint32_t delay) {
    ++counts_[IndexOf(delay)];
    sum_ += delay;
    if (delay > longest_) longest_ = delay;
  }

  /// Sum of all delays, in slots.
  [[nodiscard]] std::uint64_t Sum() const { return sum_; }
  [[nodiscard]] std::uint32_t Longest() const { return longest_; }
  /// The smallest delay that at least `percent` per cent of the cells did not exceed; for a binned
  /// delay, the end of the bin. `count` is the number of cells that were added. 0 without cells.
  [[nodiscard]] std::uint32_t Percentile(std::uint32_t percent, std::uint64_t count) const;

 private:
  static constexpr int kExactBits = 12;
  static constexpr std::uint32_t kExact = std::uint32_t{1} << kExactBits;
  static constexpr std::uint32_t kStepsPerDoubling = kExact / 2;
  static constexpr std::size_t kSize = kExact + (32 - kExactBits) * kStepsPerDoubling;

  [[nodiscard]] static std::size_t IndexOf(std::uint32_t delay) {
    if (delay < kExact) return delay;
    const auto shift = static_cast<std::uint32_t>(std::bit_width(delay)) - kExactBits;
    return kExact + (shift - 1) * kStepsPerDoubling + (delay >> shift) - kStepsPerDoubling;
  }
  /// The longest delay of the bin at this index.
  [[nodiscard]] static std::uint32_t LastAt(std::size_t index);

  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(kSize, 0);
  std::uint64_t sum_ = 0;
  std::uint32_t longest_ = 0;
};

/// The queues of one output, one for each input, each of at most `capacity` cells. A cell is stored
/// as the slot of its arrival. Memory: all queues have the same storage, 4 bytes a cell, for the
/// longest length so far rounded up to a power of two. Allocates only when a queue exceeds that.
class OutputQueues {
 public:
  explicit OutputQueues(std::uint32_t ports, std::uint32_t capacity)
      : ports_(ports), capacity_(capacity), slots_(std::size_t{ports} << ring_bits_) {}

  [[nodiscard]] std::uint32_t Capacity() const { return capacity_; }
  [[nodiscard]] InputSet NotEmpty() const { return not_empty_; }
  [[nodiscard]] bool Full(std::uint32_t input) const { return lengths_[input] == capacity_; }
  [[nodiscard]] std::uint32_t Length(std::uint32_t input) const { return lengths_[input]; }

  /// Appends a cell to a queue that is not full. Returns the new length.
  std::uint32_t Push(std::uint32_t input, std::uint32_t slot) {
    const std::uint32_t length = lengths_[input];
    if (length >> ring_bits_ != 0) Grow();
    slots_[PlaceOf(input, heads_[input] + length)] = slot;
    not_empty_ |= InputSet{1} << input;
    return lengths_[input] = length + 1;
  }
  /// Removes the first cell of a queue that is not empty. Returns the slot of its arrival.
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
  std::array<std::uint32_t, kMaxPorts> heads_{};  // positions only increase
  std::vector<std::uint32_t> slots_;
};

struct SwitchShape {
  std::uint32_t ports = 16;       ///< inputs, and as many outputs; 2 to kMaxPorts
  std::uint32_t buffer_size = 1;  ///< cells in the queue of a crosspoint, at least 1
};

/// Numbers of cells so far.
struct CellCounts {
  std::uint64_t arrived = 0;
  std::uint64_t departed = 0;
  std::uint64_t lost = 0;  ///< arrived at a full queue
};

/// A crosspoint-queued switch: a queue for each pair of input and output, and no other buffers. In
/// each slot, arriving cells first join their queues, or are lost if these are full; then each
/// output sends one cell from one of its queues, if any has one. A cell's delay is the number of
/// slots from its arrival to its departure, 0 if it leaves in the slot of its arrival. Not
/// thread-safe.
class CrosspointSwitch {
 public:
  virtual ~CrosspointSwitch() = default;
  /// Simulates the slots of `block`, which follow those simulated before.
  virtual void Run(const ArrivalBlock& block) = 0;

  [[nodiscard]] virtual const CellCounts& Counts() const = 0;
  /// Delays of the cells that departed.
  [[nodiscard]] virtual const DelayHistogram& Delays() const = 0;
  [[nodiscard]] virtual std::uint32_t QueueLength(std::uint32_t input,
                                                  std::uint32_t output) const = 0;
};

/// Makes an empty switch. Only RAND uses `seed`.
[[nodiscard]] std::unique_ptr<CrosspointSwitch> MakeCrosspointSwitch(const SwitchShape& shape,
                                                                     Algorithm algorithm,
                                                                     std::uint64_t seed);

}  // namespace evenkeel::workloads::switch_simulation
