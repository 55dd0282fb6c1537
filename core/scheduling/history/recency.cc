#include "core/scheduling/history/recency.h"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.h"

namespace evenkeel::scheduling {
namespace {

constexpr std::int64_t kParts[] = {64, 16, 4, 1};

double HalfLife(std::int64_t whole_seconds) {
  return kHalfLifePart * static_cast<double>(whole_seconds);
}

}  // namespace

std::vector<RecencyWindow> RecencyWindows(std::int64_t whole_seconds) {
  std::vector<RecencyWindow> windows;
  std::vector<double> weights;
  std::int64_t shorter = 0;
  for (const std::int64_t part : kParts) {
    const std::int64_t seconds = std::max<std::int64_t>(whole_seconds / part, 1);
    const double middle = static_cast<double>(shorter + seconds) / 2;
    weights.push_back(PortablePower(2, -middle / HalfLife(whole_seconds)));
    windows.push_back({seconds, 0});
    shorter = seconds;
  }
  // Work within a window is within all longer ones, too: the factors of these sum to its weight.
  weights.push_back(0);
  for (std::size_t i = 0; i < windows.size(); ++i) windows[i].factor = weights[i] - weights[i + 1];
  return windows;
}

double MeanAge(double all, double weighed, std::int64_t whole_seconds) {
  const double age = HalfLife(whole_seconds) * PortableLog(all / weighed) / PortableLog(2);
  return std::isfinite(age) ? std::clamp(age, 0.0, static_cast<double>(whole_seconds)) : 0.0;
}

}  // namespace evenkeel::scheduling
