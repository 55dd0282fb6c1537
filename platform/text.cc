#include "platform/text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>

#include <algorithm>

namespace evenkeel::platform {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

/// -1 if it is none.
int HexDigit(char c) {
  const std::size_t digit = kHexDigits.find(absl::ascii_toupper(static_cast<unsigned char>(c)));
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  // absl::Base64Unescape also accepts missing padding, other white space, and '.' for '='.
  std::string digits(text);
  digits.erase(
      std::remove_if(digits.begin(), digits.end(), [](char c) { return c == '\n' || c == '\r'; }),
      digits.end());
  const auto is_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/' || c == '=';
  };
  std::string bytes;
  if (digits.size() % 4 != 0 || !std::all_of(digits.begin(), digits.end(), is_digit) ||
      !absl::Base64Unescape(digits, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

std::string EncodePercent(std::string_view bytes, std::string_view kept) {
  constexpr std::string_view kUnreserved = "-._~";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || kUnreserved.find(c) != kUnreserved.npos ||
        kept.find(c) != kept.npos) {
      text += c;
    } else {
      text += '%';
      text += kHexDigits[byte >> 4U];
      text += kHexDigits[byte & 15U];
    }
  }
  return text;
}

std::optional<std::string> DecodePercent(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      bytes += text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const int high = HexDigit(text[at + 1]);
    const int low = HexDigit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return bytes;
}

bool IsPlainFileName(std::string_view name) {
  constexpr std::size_t kMaxName = 100;
  return !name.empty() && name.size() <= kMaxName && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ||
                  c == '-';
         });
}

}  // namespace evenkeel::platform
