#pragma once

#include <nlohmann/json_fwd.hpp>

#include "operator/api/job_plan.h"
#include "operator/api/weighted_job.h"

namespace evenkeel::api {

/// The ConfigMap NAME-plan. Reading it with ReadJobPlan gives the same plan.
[[nodiscard]] nlohmann::json PlanConfigMap(const WeightedJob& job, const JobPlan& plan);

}  // namespace evenkeel::api
