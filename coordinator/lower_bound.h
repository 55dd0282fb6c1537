#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// A node's speed as far as it is known, for lower bounds.
struct NodeSpeed {
  std::uint32_t threads = 1;
  double share = 1.0;                   ///< of a core, or the speed itself where tasks sleep
  std::optional<double> measured_rate;  ///< units per second, from the run itself
};

struct LowerBound {
  double seconds = 0;       ///< 0 if nothing is known
  std::string rate_source;  ///< "declared", "calibrated" or "measured"
};

/// max(total work / sum of the speeds of all nodes, longest task / fastest thread). Where costs are
/// estimates, the mean task stands for the longest one. Speeds are
/// declared where the workload defines what speed 1 means; else declared shares of a core times the
/// rate of a whole core, `units_per_core_second`, calibrated alone; else the run's own rates.
[[nodiscard]] LowerBound ComputeLowerBound(const workloads::Workload& workload,
                                           const std::vector<NodeSpeed>& nodes,
                                           double units_per_core_second);

/// Measures on this machine, which should be idle, how many cost units of the workload one core
/// does in a second of CPU time: runs tasks spread over the whole job for about `budget`, one task
/// at least. 0 if that says nothing: no costs, every task fails, or the first one takes over 5 s.
[[nodiscard]] double CalibrateCore(const workloads::Workload& workload, Duration budget);

}  // namespace evenkeel::coordinator
