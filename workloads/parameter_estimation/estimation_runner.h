#pragma once

#include <memory>

#include "workloads/parameter_estimation/parameter_estimation.h"
#include "workloads/parameter_estimation/scheduling_problem.h"

namespace evenkeel::workloads::parameter_estimation {

/// Runs tasks; `spec` and its `problem` must outlive it.
[[nodiscard]] std::unique_ptr<TaskRunner> MakeEstimationRunner(const EstimationSpec& spec,
                                                               const SchedulingProblem& problem);

}  // namespace evenkeel::workloads::parameter_estimation
