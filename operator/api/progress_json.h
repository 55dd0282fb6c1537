#pragma once

#include <string_view>

#include "core/base/error.h"
#include "operator/api/progress.h"

namespace evenkeel::api {

/// Reads a coordinator's answer to GET /progress. The coordinator runs other people's work, so
/// nothing in it is trusted: texts are cut, numbers brought into their range, surplus rows left
/// out. kInvalidInput if it is no object or has no known state.
[[nodiscard]] Result<Progress> ReadProgress(std::string_view text);

}  // namespace evenkeel::api
