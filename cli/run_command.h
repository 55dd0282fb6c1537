#pragma once

#include <iosfwd>

#include "cli/run_plan.h"
#include "core/base/time.h"
#include "platform/signals.h"

namespace evenkeel::cli {

/// `evenkeel run`: runs the job, of a workload of `registry`, on this machine and leaves summary,
/// timeline, report and results in its folder. `started` is when the command began; `signals`
/// are SIGINT, SIGTERM and SIGCHLD. Returns the exit code: 0 complete, 1 failed, 2 bad input, 130
/// interrupted.
int RunRunCommand(const RunOptions& given, const workloads::Registry& registry, Instant started,
                  platform::BlockedSignals& signals, std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
