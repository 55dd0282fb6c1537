#pragma once

#include <cstdint>

namespace evenkeel::model {

/// Power of a node in watts. Between idle and full load it is linear in the utilization u of the
/// worker's threads: P = idle + (full - idle) * u (Fan, Weber and Barroso, "Power Provisioning for
/// a Warehouse-sized Computer", ISCA 2007).
struct NodePower {
  double full_watts = 0;  ///< > 0; all threads of the job's worker run tasks
  double idle_watts = 0;  ///< 0..full_watts; switched on without work

  friend bool operator==(const NodePower&, const NodePower&) = default;
};

/// Estimated energy that one job took on one node.
struct NodeJoules {
  double dynamic = 0;  ///< energy of its tasks above idle power
  double idle = 0;     ///< idle power from the job's start to the node's last result
};

/// Energy of a node whose worker has `threads` threads (> 0), spent `busy_seconds` inside tasks
/// (summed over the threads), and ended its last result `finish_seconds` after the job's start:
///
///     dynamic = (full - idle) * busy / threads,   idle = idle * finish
[[nodiscard]] inline NodeJoules JoulesOf(const NodePower& power, double busy_seconds,
                                         std::uint32_t threads, double finish_seconds) {
  return {(power.full_watts - power.idle_watts) * busy_seconds / static_cast<double>(threads),
          power.idle_watts * finish_seconds};
}

}  // namespace evenkeel::model
