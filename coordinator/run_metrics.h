#pragma once

#include <filesystem>

#include "coordinator/job_run.h"

namespace evenkeel::coordinator {

/// Writes metrics.prom, the metrics of a run that has ended, into `folder`: whole or not at all, in
/// the text format, as node_exporter's textfile collector takes it. Durations of tasks are read
/// from the journal. Errors as of Journal::ForEachResult and report::WriteWholeFile.
Result<void> WriteMetrics(const model::JobSpec& job, const JournalReader& journal,
                          const RunEnd& end, const std::filesystem::path& folder);

}  // namespace evenkeel::coordinator
