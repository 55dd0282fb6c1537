#pragma once

#include <string>

#include "report/timeline_digest.h"

namespace evenkeel::report {

/// The part "timeline" of what pages draw (html_report.h), as JSON text. `digest` has been
/// condensed.
[[nodiscard]] std::string TimelineData(const TimelineDigest& digest);

}  // namespace evenkeel::report
