#pragma once

#include <filesystem>
#include <stop_token>

#include "core/base/error.h"
#include "core/base/time.h"

namespace evenkeel::worker {

/// Waits until somebody listens at this Unix socket, or until `stop`. kUnavailable: nobody did
/// within `patience`.
[[nodiscard]] Result<void> AwaitSocket(const std::filesystem::path& path, Duration patience,
                                       const std::stop_token& stop);

}  // namespace evenkeel::worker
