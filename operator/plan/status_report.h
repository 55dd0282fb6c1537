#pragma once

#include "operator/plan/draft.h"

namespace evenkeel::plan {

/// Brings the figures of the status up to date with what the coordinator says and the pods show.
/// Where the coordinator says nothing, what is known stays.
void ReportFigures(Draft& draft);

/// Ranges of indexes ("3,7-9") with at most `max_bytes` bytes; what is cut is told by a count of
/// all of them at the end: "3,7-9,... (12000 in all)".
[[nodiscard]] std::string CappedIndexes(const std::string& ranges, std::int64_t count,
                                        std::size_t max_bytes);

}  // namespace evenkeel::plan
