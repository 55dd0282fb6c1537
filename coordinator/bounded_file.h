#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace evenkeel::coordinator {

/// The bytes of a regular file, which must have at least one and at most `max_bytes`.
/// kInvalidInput: "FILE: what is wrong".
[[nodiscard]] Result<std::string> ReadBoundedFile(const std::filesystem::path& file,
                                                  std::int64_t max_bytes);

}  // namespace evenkeel::coordinator
