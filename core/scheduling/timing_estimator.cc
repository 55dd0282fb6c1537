#include "core/scheduling/timing_estimator.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace evenkeel::scheduling {
namespace {

// A task cannot last less; keeps rates finite when a clock does not tick within a task.
constexpr double kShortestSeconds = 1e-9;
// Beyond so many standard deviations a measurement is a change of speed rather than noise.
constexpr double kSurprise = 3.0;
// Part of the memory that is kept after a surprise.
constexpr double kKeptAfterSurprise = 0.3;
// Even exact costs are not proportional to seconds: caches, clocks, other load.
constexpr double kSmallestTaskVariance = 0.0004;

}  // namespace

void TimingEstimator::AddWorker(double prior_ratio, std::uint32_t threads,
                                std::optional<double> prior_sigma) {
  EVENKEEL_CHECK(prior_ratio > 0 && threads >= 1, "a worker without speed or threads");
  State state;
  state.prior_ratio = prior_ratio;
  const double sigma = prior_sigma.value_or(options_.prior_relative_sigma);
  state.prior_variance = sigma * sigma;
  state.threads = threads;
  workers_.push_back(state);
}

void TimingEstimator::SetThreads(WorkerId worker, std::uint32_t threads) {
  workers_[worker.value].threads = std::max<std::uint32_t>(threads, 1);
}

void TimingEstimator::Observe(WorkerId worker, std::int64_t tasks, model::Cost cost,
                              Duration busy) {
  State& state = workers_[worker.value];
  state.all_tasks += tasks;
  state.all_busy_seconds += ToSeconds(busy);
  if (tasks <= 0 || cost <= 0) return;  // tasks without cost say nothing of speed
  const double seconds = std::max(ToSeconds(busy), kShortestSeconds);
  const auto count = static_cast<double>(tasks);
  const auto units = static_cast<double>(cost);

  // A change of speed is no noise: of a surprise only as much counts as spread as noise would
  // bring.
  const double most_noise = kSurprise * kSurprise * TaskVariance(state);
  ForgetIfSurprised(state, seconds / units, count);
  const double task_seconds = (state.busy_seconds + seconds) / (state.tasks + count);
  const double memory = std::max(ToSeconds(options_.memory), options_.memory_tasks * task_seconds);
  Fade(state, memory / (memory + seconds));

  if (state.cost > 0) {
    const double mean = state.busy_seconds / state.cost;
    const double deviation = (seconds / units) / mean - 1;
    // The deviation of a mean over n tasks is 1/sqrt(n) of one task's: n * deviation^2 is one
    // task's.
    state.spread += count * std::min(count * deviation * deviation, most_noise);
  }
  state.tasks += count;
  state.busy_seconds += seconds;
  state.cost += units;
  UpdateScale(state);
}

double TimingEstimator::ThreadRate(WorkerId worker) const {
  const State& state = workers_[worker.value];
  const double prior = 1.0 / PriorThreadRate(state);  // seconds a unit, as the measured one
  if (state.tasks <= 0) return 1.0 / prior;
  const double measured = state.busy_seconds / state.cost;
  // A prior that the measurements contradict is worth less: its variance is at least what it was
  // found to be wrong by.
  const double wrong_by = (prior - measured) * (prior - measured) / (prior * measured);
  const double prior_weight = 1.0 / (state.prior_variance + wrong_by);
  const double measured_weight = 1.0 / MeasuredVariance(state);
  return (prior_weight + measured_weight) / (prior_weight * prior + measured_weight * measured);
}

double TimingEstimator::Rate(WorkerId worker) const {
  return ThreadRate(worker) * static_cast<double>(workers_[worker.value].threads);
}

double TimingEstimator::RelativeSigma(WorkerId worker) const {
  const State& state = workers_[worker.value];
  if (state.tasks <= 0) return std::sqrt(state.prior_variance);
  return std::sqrt(1.0 / (1.0 / state.prior_variance + 1.0 / MeasuredVariance(state)));
}

double TimingEstimator::PriorThreadRate(const State& state) const {
  const double scale = AnyMeasured() ? scale_sum_ / scale_weight_ : unit_rate_.value_or(1.0);
  return scale * state.prior_ratio / static_cast<double>(state.threads);
}

double TimingEstimator::TaskVariance(const State& state) const {
  const double guess = options_.task_relative_sigma * options_.task_relative_sigma;
  constexpr double kGuessCountsAsTasks = 4;
  const double seen =
      (guess * kGuessCountsAsTasks + state.spread) / (kGuessCountsAsTasks + state.tasks);
  return std::max(seen, kSmallestTaskVariance);
}

double TimingEstimator::MeasuredVariance(const State& state) const {
  return TaskVariance(state) / std::max(state.tasks, 1e-6);
}

void TimingEstimator::Fade(State& state, double factor) {
  state.tasks *= factor;
  state.busy_seconds *= factor;
  state.cost *= factor;
  state.spread *= factor;
}

void TimingEstimator::ForgetIfSurprised(State& state, double unit_seconds, double tasks) {
  if (state.cost <= 0) return;
  const double deviation = unit_seconds / (state.busy_seconds / state.cost) - 1;
  const double variance = TaskVariance(state);
  const double expected = variance / tasks + variance / std::max(state.tasks, 1.0);
  if (deviation * deviation > kSurprise * kSurprise * expected) Fade(state, kKeptAfterSurprise);
}

void TimingEstimator::UpdateScale(State& state) {
  scale_sum_ -= state.scale_share;
  scale_weight_ -= state.scale_weight;
  const double node_rate = static_cast<double>(state.threads) * state.cost / state.busy_seconds;
  state.scale_weight = std::min(state.tasks, 8.0);
  state.scale_share = state.scale_weight * node_rate / state.prior_ratio;
  scale_sum_ += state.scale_share;
  scale_weight_ += state.scale_weight;
}

}  // namespace evenkeel::scheduling
