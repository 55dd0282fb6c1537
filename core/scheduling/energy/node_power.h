#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/node_power.h"
#include "core/model/node_profile.h"

namespace evenkeel::scheduling {

/// Default idle power of a board, as a share of its full power. The
/// boards that were measured in both states are between 0.33 and 0.52 (idle and four busy cores by
/// Pidramble: Pi 4B 2.7 and 6.4 W, 3B+ 1.9 and 5.1 W, 3B 1.4 and 3.7 W, 2B 1.1 and 2.1 W, Zero 0.4
/// and 1.2 W).
inline constexpr double kUsualIdleShare = 0.4;

struct PowerFacts {
  std::optional<model::NodePower> power;  ///< nothing if unknown
  std::vector<std::string> notes;         ///< what was assumed, for people
};

/// Full power: label power-watts, else the catalogue by board or core. Idle power: label
/// idle-power-watts; if it is missing, cannot be read or is above full power: kUsualIdleShare of
/// it. A power-watts label that cannot be read is not glossed over: nothing is known then.
[[nodiscard]] PowerFacts CollectPower(const model::NodeProfile& node);

/// The power of a worker with `threads` on a node with `cores` (both > 0): with all threads busy
/// the node draws threads / cores of the range from idle to full power.
[[nodiscard]] model::NodePower OfThreads(const model::NodePower& node, double threads,
                                         double cores);

}  // namespace evenkeel::scheduling
