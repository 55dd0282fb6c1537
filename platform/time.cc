#include "platform/time.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <algorithm>

namespace evenkeel::platform {
namespace {

/// Whether the text has the form of an RFC 3339 timestamp in UTC. absl::ParseTime accepts more:
/// blanks, signs, other widths, other time zones.
bool HasTimestampForm(std::string_view text) {
  constexpr std::string_view kPattern = "dddd-dd-ddTdd:dd:dd";
  if (text.size() <= kPattern.size() || text.back() != 'Z') return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < kPattern.size(); ++i) {
    if (kPattern[i] == 'd' ? !is_digit(text[i]) : text[i] != kPattern[i]) return false;
  }
  const std::string_view fraction = text.substr(kPattern.size(), text.size() - kPattern.size() - 1);
  if (fraction.empty()) return true;
  return fraction.front() == '.' && fraction.size() > 1 &&
         std::all_of(fraction.begin() + 1, fraction.end(), is_digit);
}

}  // namespace

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  if (!HasTimestampForm(text)) return std::nullopt;
  const std::string_view year = text.substr(0, 4);
  // 64 bits of nanoseconds end in 2262.
  if (year < "1970" || year > "2261") return std::nullopt;
  absl::Time time;
  std::string ignored;
  if (!absl::ParseTime(absl::RFC3339_full, absl::string_view(text.data(), text.size()), &time,
                       &ignored)) {
    return std::nullopt;
  }
  return Timestamp(Duration(absl::ToUnixNanos(time)));
}

std::string FormatTimestamp(Timestamp time, Fraction fraction) {
  const std::string format = absl::StrCat("%Y-%m-%dT%H:%M:%E", static_cast<int>(fraction), "SZ");
  return absl::FormatTime(format, absl::FromUnixNanos(time.time_since_epoch().count()),
                          absl::UTCTimeZone());
}

}  // namespace evenkeel::platform
