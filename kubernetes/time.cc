#include "kubernetes/time.h"

#include <array>
#include <cstdio>

namespace evenkeel::kube {

WallTime SystemWallClock::Now() const {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::string MicroTime(WallTime time) {
  // The calendar of <chrono> and not of <ctime>: time_t ends in 2038 on 32-bit boards.
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%06dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text.data();
}

}  // namespace evenkeel::kube
