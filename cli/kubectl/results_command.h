#pragma once

#include <iosfwd>
#include <string>

#include "cli/kubectl/kubectl.h"

namespace evenkeel::cli {

struct ResultsOptions {
  std::string job;
  std::string output;     ///< folder; empty: evenkeel-JOB
  std::string files;      ///< folder for the output files of tasks, instead of all else; or empty
  std::string indexes;    ///< tasks whose output files are wanted, "3,7-9"; empty: all
  bool partial = false;   ///< also of a job that is not complete
  bool terminal = false;  ///< `err` is a terminal: large files show how far they are
};

/// `kubectl evenkeel results`: brings the files that a run leaves behind into a folder, or, if
/// `files` is set, the output files of its tasks. Returns the exit code.
int RunResultsCommand(const ResultsOptions& options, Kubectl& kubectl,
                      const platform::BlockedSignals& stop, std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
