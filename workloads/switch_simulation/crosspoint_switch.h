#pragma once

#include <cstdint>
#include <memory>

#include "workloads/switch_simulation/algorithm.h"
#include "workloads/switch_simulation/arrivals.h"
#include "workloads/switch_simulation/delay_histogram.h"

namespace evenkeel::workloads::switch_simulation {

struct SwitchShape {
  std::uint32_t ports = 16;       ///< inputs, and as many outputs; 2 to kMaxPorts
  std::uint32_t buffer_size = 1;  ///< cells in the queue of a crosspoint, at least 1
};

/// What has become of the cells so far.
struct CellCounts {
  std::uint64_t arrived = 0;
  std::uint64_t departed = 0;
  std::uint64_t lost = 0;  ///< they met a full queue
};

/// A crosspoint-queued switch: a queue for each pair of input and output, and no other buffers. In
/// a slot first the cells that arrive join their queues, or are lost if these are full; then each
/// output sends one cell, if any queue that leads to it has one. A cell's delay is the number of
/// slots from its arrival to its departure, 0 if it leaves in the slot of its arrival.
///
/// Owns what it needs; allocates only while queues grow to lengths they never had. Not thread-safe.
class CrosspointSwitch {
 public:
  virtual ~CrosspointSwitch() = default;
  /// Simulates the slots of `block`, which follow on those before.
  virtual void Run(const ArrivalBlock& block) = 0;

  [[nodiscard]] virtual const CellCounts& Counts() const = 0;
  /// Of the cells that departed.
  [[nodiscard]] virtual const DelayHistogram& Delays() const = 0;
  [[nodiscard]] virtual std::uint32_t QueueLength(std::uint32_t input,
                                                  std::uint32_t output) const = 0;
};

/// An empty switch. The draws of RAND follow from `seed`; the others have none.
[[nodiscard]] std::unique_ptr<CrosspointSwitch> MakeCrosspointSwitch(const SwitchShape& shape,
                                                                     Algorithm algorithm,
                                                                     std::uint64_t seed);

}  // namespace evenkeel::workloads::switch_simulation
