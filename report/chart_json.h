#pragma once

#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/model/chart.h"
#include "report/json_reader.h"

/// charts.json, what a workload wants drawn of its result, and the same as a part of report.html:
///
///   [{"title": text, "caption": text, "viewTitle": text, "shownView": n,
///     "x": {"title": text, "logarithmic": true or false}, "y": the same,
///     "views": [{"name": text, "series": [{"name": text, "joined": true or false,
///                                           "points": [[x, y], ...]}]}]}]
namespace evenkeel::report {

/// No more than the bounds of core/model/chart.h; numbers with six digits.
[[nodiscard]] Json ChartsToJson(const std::vector<model::Chart>& charts);

/// Writes charts.json into `folder`, or nothing if there are no charts. Errors of WriteWholeFile.
[[nodiscard]] Result<void> WriteCharts(const std::filesystem::path& folder,
                                       const std::vector<model::Chart>& charts);

/// Reads it; none if there is no such file. kInvalidInput, naming path and field, if it is not one
/// that WriteCharts wrote or has more than 32 MiB.
[[nodiscard]] Result<std::vector<model::Chart>> ReadCharts(const std::filesystem::path& folder);

}  // namespace evenkeel::report
