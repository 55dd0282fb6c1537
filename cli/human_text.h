#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/base/printable.h"

namespace evenkeel::cli {

/// As std::snprintf, into a string of the right length.
template <typename... Args>
[[nodiscard]] std::string Format(const char* format, Args... args) {
  const int size = std::snprintf(nullptr, 0, format, args...);
  std::string text(static_cast<std::size_t>(size), '\0');
  std::snprintf(text.data(), text.size() + 1, format, args...);
  return text;
}

/// "1:05:03", "2:07" or "12.3 s".
[[nodiscard]] std::string HumanSeconds(double seconds);
/// How long ago something was, in one unit: "12 s", "5 min", "3 h", "12 days".
[[nodiscard]] std::string HumanAge(double seconds);
/// "1234567" as "1,234,567".
[[nodiscard]] std::string HumanCount(std::int64_t count);
/// Three significant digits with k, M, G, T: "19.5 M".
[[nodiscard]] std::string HumanRate(double rate);
/// "812 bytes", "1.20 kB", "3.45 GB"; a kB has 1000 bytes.
[[nodiscard]] std::string HumanBytes(std::uint64_t bytes);

/// `ratio` (0..1) as a bar of that many columns.
[[nodiscard]] std::string Bar(double ratio, int columns);

/// Characters of UTF-8 text, each as wide as one column.
[[nodiscard]] std::size_t Columns(std::string_view text);
/// The first `columns` characters of UTF-8 text. The terminal would wrap a longer line, and the
/// next drawing would start in the wrong place.
[[nodiscard]] std::string Clipped(const std::string& line, int columns);

}  // namespace evenkeel::cli
