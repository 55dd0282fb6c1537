#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/kubectl/cluster.h"
#include "platform/signals.h"

namespace evenkeel::cli {

struct RerunOptions {
  std::string job;
  std::string indexes{};  ///< of the tasks that run again, as "3,7-9"; empty: those that failed
  std::string name{};     ///< of the new job; empty: the first free one of JOB-rerun-1, -2, ...
  bool print = false;     ///< the manifest is printed instead of created
};

/// Makes the manifest of a WeightedJob that runs tasks of an earlier one again: with its spec, but
/// without `after` and `suspend`. Nothing if no task is to run. Errors are one line: kInvalidInput
/// (a wrong option, or a job that cannot be rerun), kUnavailable (the job has not ended, or no
/// access).
[[nodiscard]] Result<std::optional<nlohmann::json>> MakeRerun(const RerunOptions& options,
                                                              Cluster& cluster);

/// `kubectl evenkeel rerun`: creates that job, or prints its manifest. Returns the exit code.
int RunRerunCommand(const RerunOptions& options, Cluster& cluster,
                    const platform::BlockedSignals& stop, std::ostream& out, std::ostream& err);

}  // namespace evenkeel::cli
