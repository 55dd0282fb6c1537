#include "cluster/timestamp.h"

#include <array>
#include <cstdio>

namespace evenkeel::cluster {
namespace {

using Days = std::chrono::sys_days;

/// The digits of text[from, from + count) as a number; nothing if there is anything else.
std::optional<int> Digits(std::string_view text, std::size_t from, std::size_t count) {
  if (text.size() < from + count) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(from, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

/// ".25" in nanoseconds; more than nine digits are cut.
std::optional<Duration> Fraction(std::string_view text) {
  if (text.empty()) return Duration{0};
  if (text.front() != '.' || text.size() < 2) return std::nullopt;
  std::int64_t nanoseconds = 0;
  std::int64_t unit = 100'000'000;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    nanoseconds += (c - '0') * unit;
    unit /= 10;
  }
  return Duration{nanoseconds};
}

}  // namespace

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-ddTdd:dd:dd";
  if (text.size() <= kPattern.size() || text.back() != 'Z') return std::nullopt;
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    if (kPattern[i] != 'd' && text[i] != kPattern[i]) return std::nullopt;
  }
  const std::array<std::optional<int>, 6> parts{Digits(text, 0, 4),  Digits(text, 5, 2),
                                                Digits(text, 8, 2),  Digits(text, 11, 2),
                                                Digits(text, 14, 2), Digits(text, 17, 2)};
  for (const auto& part : parts) {
    if (!part) return std::nullopt;
  }
  const std::chrono::year_month_day day{std::chrono::year(*parts[0]),
                                        std::chrono::month(static_cast<unsigned>(*parts[1])),
                                        std::chrono::day(static_cast<unsigned>(*parts[2]))};
  const auto fraction = Fraction(text.substr(kPattern.size(), text.size() - kPattern.size() - 1));
  // 64 bits of nanoseconds end in 2262.
  const bool in_range =
      *parts[0] >= 1970 && *parts[0] <= 2261 && *parts[3] < 24 && *parts[4] < 60 && *parts[5] <= 60;
  if (!day.ok() || !fraction || !in_range) return std::nullopt;
  return Timestamp{Days(day).time_since_epoch() + std::chrono::hours(*parts[3]) +
                   std::chrono::minutes(*parts[4]) + std::chrono::seconds(*parts[5]) + *fraction};
}

std::string FormatTimestamp(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  const auto days = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day day{Days(days)};
  const std::chrono::hh_mm_ss clock{seconds - days};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace evenkeel::cluster
