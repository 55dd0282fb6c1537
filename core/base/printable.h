#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace evenkeel {

/// False for the later bytes of a character of UTF-8.
constexpr bool BeginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

/// Text of unknown origin as one line that a terminal only shows: bytes that control a terminal
/// become '?' (line breaks and tabs: blanks), and what exceeds `max_bytes` is cut.
[[nodiscard]] std::string Printable(std::string_view text, std::size_t max_bytes = 512);

/// The first `max_bytes` of bytes of any encoding, for messages that must be valid UTF-8: every
/// byte that is no printable ASCII becomes '?'.
[[nodiscard]] std::string PrintableAscii(std::string_view text, std::size_t max_bytes);

}  // namespace evenkeel
