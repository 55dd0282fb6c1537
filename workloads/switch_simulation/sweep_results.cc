#include "workloads/switch_simulation/sweep_results.h"

#include <algorithm>
#include <numeric>

namespace evenkeel::workloads::switch_simulation {

std::optional<double> SweepResults::Mean(
    TaskPlace place, const std::function<double(const TaskResult&)>& measure) const {
  double sum = 0;
  int count = 0;
  for (place.seed = 0; place.seed < spec_->seeds.size(); ++place.seed) {
    const auto& result = results_[static_cast<std::size_t>(IndexOf(*spec_, place))];
    if (!result) continue;
    sum += measure(*result);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::uint64_t SweepResults::LostAt(TaskPlace place) const {
  std::uint64_t lost = 0;
  for (place.seed = 0; place.seed < spec_->seeds.size(); ++place.seed) {
    const auto& result = results_[static_cast<std::size_t>(IndexOf(*spec_, place))];
    if (result) lost += result->lost;
  }
  return lost;
}

template <typename T>
std::vector<std::size_t> OrderOf(const std::vector<T>& values) {
  std::vector<std::size_t> places(values.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(),
            [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return places;
}

template std::vector<std::size_t> OrderOf(const std::vector<double>&);
template std::vector<std::size_t> OrderOf(const std::vector<std::uint32_t>&);

}  // namespace evenkeel::workloads::switch_simulation
