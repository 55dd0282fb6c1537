#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/model/chart.h"
#include "core/model/run_record.h"
#include "report/timeline_digest.h"

/// report.html and the page of `evenkeel simulate --html`: each is one self-contained file that
/// opens without a network.
namespace evenkeel::report {

/// The JSON object that the page draws: the summary, the timeline and the workload's own charts.
/// Condenses `digest`, which has not been condensed before.
///
///   {"summary": as summary.json, but with "seed" as text and "result" as [[name, text], ...],
///    "timeline": {"workers": [name], "tracks": [n],
///                 "bars": [[worker, track, kind, start, end, begin, end, tasks, ranges, busy]],
///                 "events": [as in timeline.jsonl], "progress": {"step": s, "tasks": [n]},
///                 "ranges": n, "eventCount": n, "hiddenPause": s},
///    "charts": as charts.json}
///
/// kInternal if the summary's result is not an object.
[[nodiscard]] Result<std::string> PageData(const model::RunSummary& summary, TimelineDigest digest,
                                           const std::vector<model::Chart>& charts = {});

/// The member "summary" alone, as text; likewise kInternal.
[[nodiscard]] Result<std::string> SummaryForPage(const model::RunSummary& summary);

/// The whole page report.html. `data` is what PageData() gave.
[[nodiscard]] std::string Page(std::string_view title, std::string_view data);

/// The same page for a run in progress: it polls /live.json of its own origin, and loads
/// /report.html when the run has ended.
[[nodiscard]] std::string LivePage(std::string_view title);

/// The page of all jobs and boards of a cluster: it polls /boards.json of its own origin, which has
/// the fields of docs/live-page.md.
[[nodiscard]] std::string BoardsPage();

/// Writes `folder`/report.html from its summary.json, timeline.jsonl and optional charts.json, and
/// returns its path. Passes on the errors of reading and writing these files.
[[nodiscard]] Result<std::filesystem::path> WriteReport(const std::filesystem::path& folder);

/// The page of `evenkeel simulate --html`. `data` is a JSON object:
///
///   {"scenarios": [{"name", "description", "tasks": n, "seed": text, "repetitions": n,
///                   "replay": text or null,
///                   "nodes": [{"name", "rate": its speed, "stolenOut": n,
///                              "predictedFinishSeconds": its last end}] as of the first of runs,
///                   "rows": [a summary as in `simulate -o json`, the best first],
///                   "runs": [{"strategy", "recorded": bool,
///                             "summary": {"state", "makespanSeconds", "lowerBoundSeconds",
///                                         "startupSeconds"},
///                             "timeline": as TimelineData()}]}]}
[[nodiscard]] std::string SimulationPage(std::string_view title, std::string_view data);

}  // namespace evenkeel::report
