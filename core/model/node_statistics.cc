#include "core/model/node_statistics.h"

#include <algorithm>
#include <cmath>

namespace evenkeel::model {

std::int64_t NodeStatistics::Weight() const { return static_cast<std::int64_t>(std::ceil(ratio)); }

void NodeStatistics::AddEarlierAttempt(const NodeStatistics& earlier) {
  completed += earlier.completed;
  cost += earlier.cost;
  busy_seconds += earlier.busy_seconds;
  last_end = std::max(last_end, earlier.last_end);
}

}  // namespace evenkeel::model
