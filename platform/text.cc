#include "platform/text.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>

#include <algorithm>

namespace evenkeel::platform {

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

bool IsPlainFileName(std::string_view name) {
  constexpr std::size_t kMaxName = 100;
  return !name.empty() && name.size() <= kMaxName && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' ||
                  c == '-';
         });
}

}  // namespace evenkeel::platform
