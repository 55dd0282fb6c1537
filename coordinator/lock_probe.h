#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace evenkeel::coordinator {

/// Shows with a real lock that `folder` can keep a second process out. Leaves nothing behind.
/// Errors, one line each: kUnavailable (the file system cannot lock, or the folder cannot be
/// written), kStorageFull.
[[nodiscard]] Result<void> CheckThatFolderLocks(const std::filesystem::path& folder);

/// Why a file system must not be trusted with locks whatever a probe on this machine says, or
/// empty. `magic` is f_type of statfs(2), `options` the mount options.
[[nodiscard]] std::string WhyLocksCannotBeTrusted(std::uint64_t magic, std::string_view options);

}  // namespace evenkeel::coordinator
