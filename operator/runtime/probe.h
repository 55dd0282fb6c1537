#pragma once

#include <string>

#include "core/base/error.h"

namespace evenkeel::operating {

/// Asks an http URL such as "http://evenkeel:8080/readyz" once and returns the body of the answer;
/// an Error if none came within ten seconds or its status is not 200. For checks in images without
/// a shell. Blocks.
[[nodiscard]] Result<std::string> Probe(const std::string& url);

}  // namespace evenkeel::operating
