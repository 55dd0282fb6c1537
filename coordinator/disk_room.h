#pragma once

#include <filesystem>

#include "core/base/error.h"
#include "workloads/workload.h"

namespace evenkeel::coordinator {

/// Whether the folder's disk has room for what the workload is going to leave there; what lies in
/// the folder already counts as room, for it is the same. kInvalidInput if not.
[[nodiscard]] Result<void> CheckDiskRoom(const workloads::Workload& workload,
                                         const std::filesystem::path& folder);

}  // namespace evenkeel::coordinator
