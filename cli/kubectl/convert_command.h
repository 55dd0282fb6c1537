#pragma once

#include <iosfwd>
#include <string>

#include "cli/kubectl/job_conversion.h"

namespace evenkeel::cli {

/// Converts all Jobs of a YAML or JSON text, also those in Lists, in order. `file_name` is for
/// errors. Errors (kInvalidInput): a line for each object that is no Job of batch/v1 or cannot be
/// converted, and for a text without Jobs.
[[nodiscard]] Result<std::vector<JobConversion>> ConvertManifests(const std::string& text,
                                                                  const std::string& file_name);

/// `kubectl evenkeel convert FILE`: reads a file, or standard input if it is "-", and writes a
/// WeightedJob for each Job to `out` and the remarks to `err`. Needs neither a cluster nor kubectl.
/// Returns the exit code; unless that is kDone, nothing is written to `out`.
int RunConvertCommand(const std::string& file, std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
