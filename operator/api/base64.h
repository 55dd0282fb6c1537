#pragma once

#include <string>
#include <string_view>

namespace evenkeel::api {

/// RFC 4648, section 4, with padding: how Kubernetes carries bytes in `data` and `binaryData`.
[[nodiscard]] std::string ToBase64(std::string_view bytes);

}  // namespace evenkeel::api
