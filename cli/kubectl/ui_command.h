#pragma once

#include <iosfwd>
#include <string>

#include "cli/kubectl/kubectl.h"

namespace evenkeel::cli {

/// `kubectl evenkeel ui JOB`: makes the pages of the job's coordinator reachable on this machine
/// and says where, until SIGINT or SIGTERM. A connection that breaks is made again, on the same
/// port; after a minute without one it gives up. Returns the exit code.
int RunUiCommand(const std::string& job, Kubectl& kubectl, const StopSignals& stop,
                 std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
