#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "cli/kubectl/kubectl.h"

namespace evenkeel::cli {

struct UiOptions {
  std::string job;
  std::uint16_t port = 0;  ///< on this machine; 0: any that is free
  bool open = false;       ///< in the browser
};

/// `kubectl evenkeel ui JOB`: makes the live page of the job, and the other pages of its
/// coordinator, reachable on this machine and says where, until SIGINT or SIGTERM. A coordinator
/// that is not there yet is waited for, and a connection that breaks is made again, on the same
/// port, also to a coordinator that has replaced the one before; after two minutes without one it
/// gives up. Returns the exit code.
int RunUiCommand(const UiOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
                 std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
