#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace evenkeel::workloads::switch_simulation {

/// A set of inputs, one bit each.
using InputSet = std::uint32_t;
inline constexpr std::uint32_t kMaxPorts = 32;

/// The cells that arrive in some consecutive slots: for each output and slot the inputs that have a
/// cell for it. One output's slots lie side by side, because outputs are simulated one by one.
class ArrivalBlock {
 public:
  /// So many that starting a block does not count, and so few that those of 16 ports fit into a
  /// first-level cache.
  static constexpr std::uint32_t kMaxSlots = 256;

  /// Makes it a block of `slots` <= kMaxSlots slots from `first_slot` on in which nothing arrives.
  void Clear(std::uint32_t ports, std::uint32_t first_slot, std::uint32_t slots) {
    first_slot_ = first_slot;
    slots_ = slots;
    for (std::uint32_t output = 0; output < ports; ++output) inputs_[output].fill(0);
  }
  /// A cell, if `arrives` is 1 and not 0, from `input` for `output` in the n-th slot of the block.
  void Add(std::uint32_t n, std::uint32_t input, std::uint32_t output, std::uint32_t arrives = 1) {
    inputs_[output][n] |= arrives << input;
  }

  [[nodiscard]] std::uint32_t FirstSlot() const { return first_slot_; }
  [[nodiscard]] std::uint32_t Slots() const { return slots_; }
  /// Slots() sets of inputs.
  [[nodiscard]] const InputSet* Of(std::uint32_t output) const { return inputs_[output].data(); }

 private:
  std::uint32_t first_slot_ = 0;
  std::uint32_t slots_ = 0;
  std::array<std::array<InputSet, kMaxSlots>, kMaxPorts> inputs_{};
};

/// Uniform Bernoulli traffic: in each slot each input gets a cell with probability `load`, for an
/// output drawn evenly; all draws are independent.
///
/// Whether and where depends on (seed, slot, input) alone, by a hash of them: every algorithm and
/// every buffer size of a load meets the same cells on every machine, and none of them has to be
/// kept. A draw has 32 bits, so no output is favoured, and the load not missed, by more than
/// ports / 2^32. The hash does not depend on the load, so what arrives at one load arrives at every
/// higher one, too: differences between loads are those of the load, not of the draw. Immutable.
class Traffic {
 public:
  /// 0 < load <= 1, 2 <= ports <= kMaxPorts.
  Traffic(std::uint32_t ports, double load, std::uint64_t seed);

  /// Makes `block` the `slots` slots from `first_slot` on.
  void Fill(std::uint32_t first_slot, std::uint32_t slots, ArrivalBlock& block) const;

 private:
  /// What `input` gets in the n-th slot of the block, from 32 random bits.
  void Draw(std::uint64_t drawn, std::uint32_t n, std::uint32_t input, ArrivalBlock& block) const;

  std::uint32_t ports_;
  std::uint64_t arrives_below_;  // of 2^32
  std::uint64_t stream_;
};

/// Seeds of streams that have nothing to do with each other.
[[nodiscard]] std::uint64_t TrafficStream(std::uint64_t seed);
[[nodiscard]] std::uint64_t ChoiceStream(std::uint64_t seed);

}  // namespace evenkeel::workloads::switch_simulation
