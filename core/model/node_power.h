#pragma once

#include <cstdint>

namespace evenkeel::model {

/// What a node draws, in watts. Between the two it is taken to rise in a straight line with the
/// busy share of the worker's threads: P = idle + (full - idle) * u, as Fan, Weber and Barroso do
/// in "Power Provisioning for a Warehouse-sized Computer" (ISCA 2007).
struct NodePower {
  double full_watts = 0;  ///< > 0; all threads of the job's worker are inside tasks
  double idle_watts = 0;  ///< 0..full_watts; switched on with nothing to do

  friend bool operator==(const NodePower&, const NodePower&) = default;
};

/// Estimated energy that one job took on one node.
struct NodeJoules {
  double dynamic = 0;  ///< what its tasks took above the idle draw
  double idle = 0;     ///< the idle draw, from the job's start to the node's last result
};

/// What a worker with `threads` threads (> 0) took for `busy_seconds` inside tasks, summed over
/// them, when its last result ended `finish_seconds` after the job's start:
///
///     dynamic = (full - idle) * busy / threads,   idle = idle * finish
[[nodiscard]] inline NodeJoules JoulesOf(const NodePower& power, double busy_seconds,
                                         std::uint32_t threads, double finish_seconds) {
  return {(power.full_watts - power.idle_watts) * busy_seconds / static_cast<double>(threads),
          power.idle_watts * finish_seconds};
}

}  // namespace evenkeel::model
