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

/// Whether a name is one of a file that is safe on every file system and in every URL: 1 to 100
/// letters, digits, '.', '_' and '-', without '.' or '-' in front.
[[nodiscard]] bool IsPlainFileName(std::string_view name);

}  // namespace evenkeel::platform
