#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// apiVersion, kind and metadata of an object of a job: its name, the usual labels, and the job as
/// owner, so that it goes when the job goes.
[[nodiscard]] nlohmann::json ObjectFrame(const std::string& api_version, const std::string& kind,
                                         const std::string& name, const std::string& component,
                                         const WeightedJob& job);

/// The labels by which the pods of a job are selected.
[[nodiscard]] nlohmann::json PodLabels(const WeightedJob& job, const std::string& component);

}  // namespace evenkeel::api
