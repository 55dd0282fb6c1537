#pragma once

#include <cstddef>
#include <string>

#include "core/base/error.h"

namespace evenkeel::kube {

/// The content of a regular file of at most `max_bytes`. Errors (kUnavailable): one line that names
/// the file.
[[nodiscard]] Result<std::string> ReadBoundedFile(const std::string& file, std::size_t max_bytes);

}  // namespace evenkeel::kube
