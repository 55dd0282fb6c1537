#pragma once

#include <iosfwd>
#include <string>

#include "cli/kubectl/kubectl.h"

namespace evenkeel::cli {

struct TopOptions {
  std::string job;              ///< empty: a table of jobs
  bool all_namespaces = false;  ///< of that table
  bool terminal = false;        ///< `out` is a terminal: drawn again every 2 s
};

/// `kubectl evenkeel top`: jobs, or one job and its workers; once, or on a terminal until SIGINT or
/// SIGTERM. Returns the exit code.
int RunTopCommand(const TopOptions& options, Kubectl& kubectl, const platform::BlockedSignals& stop,
                  std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
