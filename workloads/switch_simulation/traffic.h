#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel::workloads::switch_simulation {

/// A set of inputs, one bit each.
using InputSet = std::uint32_t;
inline constexpr std::uint32_t kMaxPorts = 32;

/// The cells that arrive in a range of slots: for each output and slot, the inputs that have a cell
/// for it. The slots of one output are contiguous because outputs are simulated one by one.
class ArrivalBlock {
 public:
  /// Large enough to make the overhead of a block negligible, small enough that a block of 16 ports
  /// fits into a first-level cache.
  static constexpr std::uint32_t kMaxSlots = 256;

  /// Resets this to `slots` <= kMaxSlots slots from `first_slot` on, without arrivals.
  void Clear(std::uint32_t ports, std::uint32_t first_slot, std::uint32_t slots) {
    first_slot_ = first_slot;
    slots_ = slots;
    for (std::uint32_t output = 0; output < ports; ++output) inputs_[output].fill(0);
  }
  /// Adds a cell from `input` for `output` in the n-th slot of the block if `arrives` is 1, none if
  /// 0.
  void Add(std::uint32_t n, std::uint32_t input, std::uint32_t output, std::uint32_t arrives = 1) {
    inputs_[output][n] |= arrives << input;
  }

  [[nodiscard]] std::uint32_t FirstSlot() const { return first_slot_; }
  [[nodiscard]] std::uint32_t Slots() const { return slots_; }
  /// The arrivals for `output`: Slots() sets of inputs.
  [[nodiscard]] const InputSet* Of(std::uint32_t output) const { return inputs_[output].data(); }

 private:
  std::uint32_t first_slot_ = 0;
  std::uint32_t slots_ = 0;
  std::array<std::array<InputSet, kMaxSlots>, kMaxPorts> inputs_{};
};

/// Uniform Bernoulli traffic: in each slot, each input gets a cell with probability `load`, for an
/// output with uniform distribution; all random numbers are independent.
///
/// A random number is a hash of (seed, slot, input), so all algorithms and buffer sizes get the
/// same cells on every machine, and the cells need not be stored. It has 32 bits, so the
/// probabilities are exact to ports / 2^32. The hash does not depend on the load, so the cells of
/// one load also arrive at every higher load, which reduces the variance of differences between
/// loads. Immutable.
class Traffic {
 public:
  /// 0 < load <= 1, 2 <= ports <= kMaxPorts.
  Traffic(std::uint32_t ports, double load, std::uint64_t seed);

  /// Sets `block` to the arrivals of `slots` slots from `first_slot` on.
  void Fill(std::uint32_t first_slot, std::uint32_t slots, ArrivalBlock& block) const;

 private:
  /// Adds the arrival, if any, of `input` in the n-th slot of the block, from 32 random bits.
  void Draw(std::uint64_t drawn, std::uint32_t n, std::uint32_t input, ArrivalBlock& block) const;

  std::uint32_t ports_;
  std::uint64_t arrives_below_;  // of 2^32
  std::uint64_t stream_;
};

/// Seeds of two independent streams of random numbers, of the arrivals and of RAND's choices.
[[nodiscard]] std::uint64_t TrafficStream(std::uint64_t seed);
[[nodiscard]] std::uint64_t ChoiceStream(std::uint64_t seed);

}  // namespace evenkeel::workloads::switch_simulation
