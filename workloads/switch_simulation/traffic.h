#pragma once

#include <cstdint>

#include "workloads/switch_simulation/arrivals.h"

namespace evenkeel::workloads::switch_simulation {

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
