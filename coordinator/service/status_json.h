#pragma once

#include <string>
#include <string_view>

#include "coordinator/service/job_status.h"

namespace evenkeel::coordinator {

/// The body of GET /progress; docs/coordinator.md has its fields. At most 64 workers; what is
/// unknown is absent, but etaSeconds is null.
[[nodiscard]] std::string StatusJson(const JobStatus& status);

/// {"state": ..., "reason": ...} for requests that are refused.
[[nodiscard]] std::string ReasonJson(std::string_view state, std::string_view reason);

/// ["a", "b"]
[[nodiscard]] std::string ListJson(const std::vector<std::string>& names);

}  // namespace evenkeel::coordinator
