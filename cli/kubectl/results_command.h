#pragma once

#include <iosfwd>
#include <string>

#include "cli/kubectl/kubectl.h"

namespace evenkeel::cli {

struct ResultsOptions {
  std::string job;
  std::string output;     ///< folder; empty: evenkeel-JOB
  bool partial = false;   ///< also of a job that is not complete
  bool terminal = false;  ///< `err` is a terminal: large files show how far they are
};

/// `kubectl evenkeel results`: brings the files that a run leaves behind into a folder. Returns the
/// exit code.
int RunResultsCommand(const ResultsOptions& options, Kubectl& kubectl,
                      const platform::BlockedSignals& stop, std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
