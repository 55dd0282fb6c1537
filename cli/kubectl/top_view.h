#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/kubectl/job_object.h"
#include "cli/terminal.h"
#include "core/model/run_record.h"

namespace evenkeel::cli {

/// A table of jobs, a line each, for a terminal of that size. `all_namespaces`: names are shown as
/// NAMESPACE/NAME. `now`: seconds since 1970.
[[nodiscard]] std::vector<std::string> JobListLines(const std::vector<JobObject>& jobs,
                                                    bool all_namespaces, double now,
                                                    TerminalSize size);

/// One job and its workers. `live`: what its coordinator says at this moment, which has rates and
/// is younger than the status.
[[nodiscard]] std::vector<std::string> JobTopLines(const JobObject& job,
                                                   const std::optional<model::RunSummary>& live,
                                                   double now, TerminalSize size);

}  // namespace evenkeel::cli
