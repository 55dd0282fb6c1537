#pragma once

#include <cstdint>
#include <string>

namespace evenkeel::operating {

/// Label that the query gives its three figures of each node, and their values.
namespace figure {
inline const std::string kLabel = "figure";
inline const std::string kUnits = "units";             ///< work, what is older counting less
inline const std::string kBusySeconds = "busy";        ///< inside tasks, in the same way
inline const std::string kAllBusySeconds = "allbusy";  ///< the same, all counting alike
}  // namespace figure

/// One instant query in PromQL for what all nodes did for jobs of a profile within the last
/// `window_seconds`: three series a node, whatever replicas of the operator counted it.
/// Where scrapes give targets a label `node` of their own, Prometheus calls ours `exported_node`.
/// (scheduling::RecencyWindows: sums of rises over nested windows. increase() takes a counter that
/// began anew for what it is, and a series that ended weeks ago still tells its rises.)
[[nodiscard]] std::string RateQuery(const std::string& profile, std::int64_t window_seconds);

}  // namespace evenkeel::operating
