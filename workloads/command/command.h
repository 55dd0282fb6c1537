#pragma once

#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/model/field_reader.h"
#include "workloads/workload.h"

namespace evenkeel::workloads::command {

inline constexpr std::string_view kName = "command";
inline constexpr std::uint32_t kVersion = 1;

/// Runs the user's command once per task through evenkeel-launcher.
[[nodiscard]] Result<std::shared_ptr<const Workload>> MakeCommand(const model::FieldReader& fields,
                                                                  const WorkloadContext& context);

}  // namespace evenkeel::workloads::command
