#include "workloads/synthetic/task_costs.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/rng.h"
#include "core/base/splitmix.h"

namespace evenkeel::workloads::synthetic {
namespace {

struct Place {
  model::TaskIndex index;
  std::int64_t task_count;
  std::uint64_t seed;
};

double SecondsOf(const ConstantCost& cost, const Place&) { return cost.seconds; }

double SecondsOf(const UniformCost& cost, const Place& place) {
  return Rng(TaskHash(place.seed, place.index)).Uniform(cost.low_seconds, cost.high_seconds);
}

double SecondsOf(const ExponentialCost& cost, const Place& place) {
  const double drawn = Rng(TaskHash(place.seed, place.index)).Exponential(cost.mean_seconds);
  return std::min(drawn, kMaxTaskSeconds);
}

double SecondsOf(const IncreasingCost& cost, const Place& place) {
  if (place.task_count == 1) return cost.first_seconds;
  const double part = static_cast<double>(place.index) / static_cast<double>(place.task_count - 1);
  return cost.first_seconds + (cost.last_seconds - cost.first_seconds) * part;
}

double SecondsOf(const ListedCost& cost, const Place& place) {
  return cost.seconds[static_cast<std::size_t>(place.index)];
}

double MaxSeconds(const ConstantCost& cost) { return cost.seconds; }
double MaxSeconds(const UniformCost& cost) { return cost.high_seconds; }
double MaxSeconds(const IncreasingCost& cost) { return cost.last_seconds; }
double MaxSeconds(const ListedCost& cost) {
  return *std::max_element(cost.seconds.begin(), cost.seconds.end());
}
double MaxSeconds(const ExponentialCost& cost) {
  constexpr double kMaxMeans = 37.0;  // a draw from 53 random bits is at most -ln(2^-53) = 36.7
  return std::min(kMaxMeans * cost.mean_seconds, kMaxTaskSeconds);
}

}  // namespace

std::uint64_t TaskHash(std::uint64_t seed, model::TaskIndex index) {
  return SplitMixAt(SplitMixAt(seed, 0), static_cast<std::uint64_t>(index));
}

TaskCosts::TaskCosts(CostShape shape, std::int64_t task_count, std::uint64_t seed)
    : shape_(std::move(shape)), task_count_(task_count), seed_(seed) {
  EVENKEEL_CHECK(task_count >= 1, "a job without tasks");
  if (const auto* list = std::get_if<ListedCost>(&shape_)) {
    EVENKEEL_CHECK(list->seconds.size() == static_cast<std::uint64_t>(task_count),
                   "a list of costs has one entry a task");
  }
}

Duration TaskCosts::Of(model::TaskIndex index) const {
  const Place place{index, task_count_, seed_};
  return std::visit([&](const auto& shape) { return FromSeconds(SecondsOf(shape, place)); },
                    shape_);
}

Duration TaskCosts::Bound() const {
  return std::visit([](const auto& shape) { return FromSeconds(MaxSeconds(shape)); }, shape_);
}

}  // namespace evenkeel::workloads::synthetic
