#pragma once

#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/model/chart.h"
#include "report/json_reader.h"

/// The charts of a workload's result, as charts.json and as a part of report.html:
///
///   [{"title": text, "caption": text, "viewTitle": text, "shownView": n,
///     "x": {"title": text, "logarithmic": true or false}, "y": the same,
///     "views": [{"name": text, "series": [{"name": text, "joined": true or false,
///                                           "points": [[x, y], ...]}]}]}]
namespace evenkeel::report {

/// Applies the limits of core/model/chart.h; numbers have six digits.
[[nodiscard]] Json ChartsToJson(const std::vector<model::Chart>& charts);

/// Writes charts.json into `folder`, or nothing if there are no charts. Errors of
/// platform::WriteFileAtomically.
[[nodiscard]] Result<void> WriteCharts(const std::filesystem::path& folder,
                                       const std::vector<model::Chart>& charts);

/// Reads charts.json; no charts if there is no such file. kInvalidInput, with path and field, if
/// WriteCharts did not write it or it has more than 32 MiB.
[[nodiscard]] Result<std::vector<model::Chart>> ReadCharts(const std::filesystem::path& folder);

}  // namespace evenkeel::report
