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

/// Percent-encoding (RFC 3986): each byte that is no letter, no digit and none of "-._~" becomes
/// %XX, except those in `kept`.
[[nodiscard]] std::string EncodePercent(std::string_view bytes, std::string_view kept = {});

/// Decodes each %XX; other bytes stay. The result may be any bytes, NUL among them. Returns nothing
/// if two hexadecimal digits do not follow a "%".
[[nodiscard]] std::optional<std::string> DecodePercent(std::string_view text);

/// Whether a name is one of a file that is safe on every file system and in every URL: 1 to 100
/// letters, digits, '.', '_' and '-', without '.' or '-' in front.
[[nodiscard]] bool IsPlainFileName(std::string_view name);

}  // namespace evenkeel::platform
