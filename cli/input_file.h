#pragma once

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace evenkeel::cli {

/// The text of a file that the user named; it may be a pipe. Errors (kInvalidInput) name it: a
/// folder, nothing that can be read, or more than 256 MiB.
[[nodiscard]] Result<std::string> ReadInputFile(const std::filesystem::path& path);

}  // namespace evenkeel::cli
