#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "coordinator/job_run.h"
#include "core/model/cost_model.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// Reads all results from the journal and writes the workload's result files, and charts.json if it
/// has charts, into `folder`. Returns the `result` object of summary.json.
[[nodiscard]] Result<std::string> WriteResults(const JournalReader& journal,
                                               const workloads::Workload& workload,
                                               const std::filesystem::path& folder);

/// Writes timeline.jsonl from the journal.
[[nodiscard]] Result<void> WriteTimeline(const JournalReader& journal,
                                         const std::filesystem::path& folder);

/// The summary of a run as far as the coordinator knows it; the caller adds lower bound,
/// efficiency, speed control and result.
[[nodiscard]] model::RunSummary Summarize(const model::JobSpec& job, const RunEnd& end,
                                          std::uint64_t epoch);

using model::WorkByNode;

/// The work of earlier attempts of the job. Call it before the run.
[[nodiscard]] Result<WorkByNode> ReadEarlierWork(const Journal& journal,
                                                 const model::CostModel& costs);

/// Efficiency (of a job that is complete and has run all of its tasks, else 0) and imbalance from
/// what the summary has.
void FillRatios(model::RunSummary& summary);

/// Names of the result files in a job's folder, sorted: regular files that are neither the
/// journal's nor summary, timeline, report or metrics, nor unfinished; and "reduce/NAME" for the
/// plain names (platform::IsPlainFileName) of files of the reduce command. At most 1,000.
[[nodiscard]] std::vector<std::string> ResultFiles(const std::filesystem::path& folder);

}  // namespace evenkeel::coordinator
