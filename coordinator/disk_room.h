#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// Whether the folder's disk has room for what the workload is going to leave there; what lies in
/// the folder already counts as room, for it is the same. kInvalidInput if not; `name` is the job's
/// for the workload.
[[nodiscard]] Result<void> CheckDiskRoom(const std::string& name,
                                         const workloads::Workload& workload,
                                         const std::filesystem::path& folder);

}  // namespace evenkeel::coordinator
