#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "workloads/workload.h"

namespace evenkeel::workloads {

/// Makes the workload of that name from its parameters (JSON text, as in spec.workload.NAME).
/// Errors (kInvalidInput) name the field as "spec.workload.NAME.field". Thread-safe.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeWorkload(
    const std::string& name, const std::string& parameters_json, const WorkloadContext& context);

/// Workload::Version() of that name, known before there are parameters. kInvalidInput if there is
/// no such workload. Thread-safe.
[[nodiscard]] Result<std::uint32_t> WorkloadVersion(const std::string& name);

/// The registered names, in alphabetical order.
[[nodiscard]] std::vector<std::string> WorkloadNames();

}  // namespace evenkeel::workloads
