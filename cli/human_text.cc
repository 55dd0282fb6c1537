#include "cli/human_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace evenkeel::cli {
std::string HumanSeconds(double seconds) {
  if (seconds < 60) return Format("%.1f s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return Format("%lld:%02lld", whole / 60, whole % 60);
  return Format("%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string HumanAge(double seconds) {
  constexpr double kMost = 1e12;
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, kMost));
  if (whole < 120) return Format("%lld s", whole);
  if (whole < 2 * 3600) return Format("%lld min", whole / 60);
  if (whole < 48 * 3600) return Format("%lld h", whole / 3600);
  return Format("%lld days", whole / 86400);
}

std::string HumanCount(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (count < 0 ? 1 : 0);
       at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string HumanRate(double rate) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (rate >= 999.5 && prefix < 4) {
    rate /= 1000;
    ++prefix;
  }
  const int decimals = rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0;
  return Format("%.*f %s", decimals, rate, kPrefixes[prefix]);
}

std::string HumanBytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  return HumanRate(static_cast<double>(bytes)) + "B";
}

std::string Bar(double ratio, int columns) {
  const int full = static_cast<int>(std::lround(std::clamp(ratio, 0.0, 1.0) * columns));
  std::string bar;
  for (int i = 0; i < columns; ++i) bar += i < full ? "█" : "░";
  return bar;
}

std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), BeginsCharacter));
}

std::string Clipped(const std::string& line, int columns) {
  int shown = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (BeginsCharacter(line[i]) && ++shown > columns) return line.substr(0, i);
  }
  return line;
}

}  // namespace evenkeel::cli
