#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "cluster/job_status.h"
#include "core/base/error.h"

namespace evenkeel::cluster {

/// The value of `status`; fields that are not set are left out.
[[nodiscard]] nlohmann::json StatusJson(const JobStatus& status);

/// Reads the value of `status`, leniently. Reading what StatusJson wrote gives the same status.
[[nodiscard]] JobStatus ReadStatus(const nlohmann::json& status);

/// `conditions` of a status, as a list.
[[nodiscard]] nlohmann::json ConditionsJson(const Conditions& conditions);

/// Reads the conditions of a status, leniently.
[[nodiscard]] Conditions ReadConditions(const nlohmann::json& status);

/// Reads a coordinator's answer to GET /progress. The coordinator runs other people's work, so
/// nothing in it is trusted: texts are cut, numbers brought into their range, surplus rows left
/// out. kInvalidInput if it is no object or has no known state.
[[nodiscard]] Result<Progress> ReadProgress(std::string_view text);

}  // namespace evenkeel::cluster
