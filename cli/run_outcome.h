#pragma once

#include <iosfwd>

#include "cli/local_workers.h"
#include "cli/run_plan.h"
#include "coordinator/job_run.h"
#include "coordinator/run_results.h"
#include "core/model/run_record.h"

namespace evenkeel::cli {

/// Writes what a run leaves in its folder: results (if complete), timeline.jsonl, summary.json,
/// report.html; the journal's word that the job has ended comes last. `earlier` is what earlier
/// starts of the job had done.
[[nodiscard]] Result<model::RunSummary> LeaveResults(const RunPlan& plan,
                                                     coordinator::Journal& journal,
                                                     const coordinator::RunEnd& end,
                                                     const coordinator::WorkByNode& earlier,
                                                     SpeedControl control);

/// Writes results, timeline and report anew from the journal of a job that was complete before; the
/// summary stays as that run left it. kUnavailable or kInvalidInput if there is no such summary any
/// more: then the job has to be summed up again.
[[nodiscard]] Result<model::RunSummary> RefreshResults(const RunPlan& plan,
                                                       coordinator::Journal& journal);

/// How it went, in a few lines for people.
void PrintEnd(const RunPlan& plan, const model::RunSummary& summary, std::ostream& out);

}  // namespace evenkeel::cli
