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

}  // namespace evenkeel::workloads::switch_simulation
