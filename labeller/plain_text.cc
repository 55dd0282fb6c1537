#include "labeller/plain_text.h"

#include <algorithm>
#include <cstdio>

namespace evenkeel::labeller {

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kAround(" \t\r\n\0", 5);
  const std::size_t begin = text.find_first_not_of(kAround);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kAround) - begin + 1));
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string ShortNumber(double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", number);
  std::string shown = text;
  if (shown.ends_with(".0")) shown.resize(shown.size() - 2);
  return shown;
}

}  // namespace evenkeel::labeller
