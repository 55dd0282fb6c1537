#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/job_status.h"

namespace evenkeel::api {

/// The value of `status`; fields that are not set are left out.
[[nodiscard]] nlohmann::json StatusJson(const JobStatus& status);

/// Reads the value of `status`, leniently. Reading what StatusJson wrote gives the same status.
[[nodiscard]] JobStatus ReadStatus(const nlohmann::json& status);

}  // namespace evenkeel::api
