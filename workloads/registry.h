#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "workloads/workload.h"

namespace evenkeel::workloads {

/// Makes the workload of that name from its parameters (JSON text, as in spec.workload.NAME).
/// Errors (kInvalidInput) name the field as "spec.workload.NAME.field". Thread-safe.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeWorkload(const std::string& name,
                                                                   const std::string& parameters_json);

/// The registered names, in alphabetical order.
[[nodiscard]] std::vector<std::string> WorkloadNames();

}  // namespace evenkeel::workloads
