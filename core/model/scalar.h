#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

namespace evenkeel::model {

/// Types a plain (unquoted) scalar by the core schema of YAML 1.2, section 10.3.2: null, booleans,
/// integers (decimal, 0o octal, 0x hexadecimal), floating point numbers; everything else is a
/// string. Integers beyond 64 bits become floating point numbers. Errors: infinities and NaN, which
/// JSON cannot hold; the message has no file name or line.
[[nodiscard]] Result<nlohmann::json> TypePlainScalar(const std::string& text);

}  // namespace evenkeel::model
