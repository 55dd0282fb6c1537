#pragma once

#include <cstdint>

#include "core/base/strong_id.h"

namespace evenkeel::scheduling {

/// Number of a worker within one job, dense from 0: expected nodes first, in the order of the node
/// file, then those that join later. A node keeps its number when its worker comes back.
using WorkerId = StrongId<struct WorkerIdTag, std::uint32_t>;

}  // namespace evenkeel::scheduling
