#pragma once

#include <string>

#include "cli/kubectl/job_object.h"

namespace evenkeel::cli {

/// How far a job is, in words: "Progressing, 63% done (7 of 10 tasks), ends in about 0:40". `now`:
/// seconds since 1970.
[[nodiscard]] std::string StateInWords(const JobObject& job, double now);

/// "ETA 2:07", "done", "ETA -".
[[nodiscard]] std::string EtaOf(const JobObject& job, double now);

/// Since when it runs, or how long it ran: "12.3 s"; empty if it has not started.
[[nodiscard]] std::string ElapsedOf(const JobObject& job, double now);

}  // namespace evenkeel::cli
