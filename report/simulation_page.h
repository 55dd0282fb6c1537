#pragma once

#include <string>
#include <string_view>

/// The page of `evenkeel simulate --html`: one self-contained file, like report.html.
namespace evenkeel::report {

/// `data` is a JSON object:
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
