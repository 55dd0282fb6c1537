#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::kube {

/// Decodes base64 (RFC 4648, section 4) with padding; line breaks are allowed. Nothing if the text
/// is something else.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace evenkeel::kube
