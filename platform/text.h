#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::platform {

/// Base64 with padding and without line breaks (RFC 4648, section 4).
[[nodiscard]] std::string EncodeBase64(std::string_view bytes);

/// Decodes base64 with padding (RFC 4648, section 4); line breaks are allowed. Returns nothing for
/// any other text.
[[nodiscard]] std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace evenkeel::platform
