#include "report/progress_curve.h"

#include <algorithm>
#include <cstddef>

namespace evenkeel::report {
namespace {

constexpr std::int64_t kBins = 512;

}  // namespace

void ProgressCurve::MakeRoomFor(Duration end) {
  while (end >= step_ * kBins) {
    step_ *= 2;
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      const double tasks = bins_[i];
      bins_[i] = 0;
      bins_[i / 2] += tasks;
    }
    bins_.resize((bins_.size() + 1) / 2);
  }
  const auto needed = static_cast<std::size_t>(end / step_) + 1;
  if (bins_.size() < needed) bins_.resize(needed);
}

void ProgressCurve::Add(Duration start, Duration end, std::int64_t tasks) {
  start = std::max(start, Duration::zero());
  end = std::max(end, start);
  MakeRoomFor(end);
  const auto first = static_cast<std::size_t>(start / step_);
  const auto last = static_cast<std::size_t>(end / step_);
  if (first == last) {
    bins_[last] += static_cast<double>(tasks);
    return;
  }
  const double per_second = static_cast<double>(tasks) / ToSeconds(end - start);
  for (std::size_t bin = first; bin <= last; ++bin) {
    const Duration bin_start = step_ * static_cast<std::int64_t>(bin);
    bins_[bin] +=
        per_second * ToSeconds(std::min(end, bin_start + step_) - std::max(start, bin_start));
  }
}

std::vector<double> ProgressCurve::Cumulative() const {
  std::vector<double> cumulative = bins_;
  for (std::size_t i = 1; i < cumulative.size(); ++i) cumulative[i] += cumulative[i - 1];
  return cumulative;
}

}  // namespace evenkeel::report
