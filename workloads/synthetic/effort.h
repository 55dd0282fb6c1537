#pragma once

#include <stop_token>

#include "core/base/time.h"

namespace evenkeel::workloads::synthetic {

/// Sleeps for `time` from now on, up to an absolute deadline. False if `stop` ended it earlier.
[[nodiscard]] bool SleepFor(Duration time, const std::stop_token& stop);

/// Burns `time` of this thread's CPU time, so a CPU quota stretches it. False if `stop` ended it.
[[nodiscard]] bool SpinFor(Duration time, const std::stop_token& stop);

}  // namespace evenkeel::workloads::synthetic
