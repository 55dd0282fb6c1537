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
// Deliveries fade over so many.
constexpr double kDeliveriesKept = 8;
// Tasks over which the bytes that a task needs, and the time that it waits for them, fade.
constexpr double kFetchesKept = 32;
// Part of the time of tasks at least in which they compute.
constexpr double kLeastComputing = 0.01;
// A sample of a link lasts so long: what is in buffers and the first round trip do not count.
constexpr Duration kLinkSample = std::chrono::milliseconds(100);
// A worker's first tasks, per thread, may be delayed by the start of its process, for less than
// kLongestStartSeconds.
constexpr std::int64_t kTasksOfStart = 4;
constexpr double kLongestStartSeconds = 0.02;
// A worker that completes tasks so many times slower than it computes them waits for their data.
constexpr double kWaitingForData = 1.5;
// Declared costs are not used any more if they leave more variance than errors of 20 % would, and
// the trend over the index leaves less than this part of it.
constexpr double kVarianceOfGoodCosts = 0.04;
constexpr double kMuchLessVariance = 0.5;
// Even exact costs are not proportional to seconds: caches, clocks, other load.
constexpr double kSmallestTaskVariance = 0.0004;

}  // namespace

void TimingEstimator::AddWorker(double prior_ratio, std::uint32_t threads,
                                std::optional<double> prior_sigma) {
  EVENKEEL_CHECK(prior_ratio > 0 && threads >= 1, "a worker without speed or threads");
  State state;
  trend_.AddWorker();
  ranges_.AddWorker();
  reliability_.AddWorker();
  calibration_.AddWorker(prior_ratio, prior_sigma.value_or(options_.prior_relative_sigma));
  state.threads = threads;
  workers_.push_back(state);
}

void TimingEstimator::SetThreads(WorkerId worker, std::uint32_t threads) {
  workers_[worker.value].threads = std::max<std::uint32_t>(threads, 1);
  workers_[worker.value].version = 0;
}

void TimingEstimator::Observe(WorkerId worker, std::int64_t tasks, model::Cost cost, Duration busy,
                              std::optional<double> mean_index, Duration saved) {
  State& state = workers_[worker.value];
  state.all_tasks += tasks;
  state.all_busy_seconds += ToSeconds(busy);
  if (tasks <= 0 || cost <= 0) return;  // tasks without cost say nothing of speed
  const double seconds = std::max(ToSeconds(busy + saved), kShortestSeconds);
  ObserveCosts(worker, tasks, cost, seconds);
  const auto count = static_cast<double>(tasks);
  const double units = UnitsOf(count, static_cast<double>(cost), mean_index);

  // A change of speed is no noise: of a surprise only as much counts as spread as noise would
  // bring.
  const double most_noise = kSurprise * kSurprise * TaskVariance(state);
  ForgetIfSurprised(state, seconds / units, count);
  const double task_seconds = (state.busy_seconds + seconds) / (state.tasks + count);
  const double memory = MemorySeconds(task_seconds);
  Fade(state, memory / (memory + seconds));

  if (state.cost > 0) {
    const double mean = state.busy_seconds / state.cost;
    const double deviation = (seconds / units) / mean - 1;
    // The deviation of a mean over n tasks is 1/sqrt(n) of one task's: n * deviation^2 is one
    // task's.
    const double one_task = std::min(count * deviation * deviation, most_noise);
    state.spread += count * one_task;
    // The mean that it is compared with is one of state.tasks tasks.
    all_spread_ += count * one_task * state.tasks / (state.tasks + count);
    all_spread_tasks_ += count;
  }
  state.tasks += count;
  state.busy_seconds += seconds;
  state.cost += units;
  state.index_sum += count * mean_index.value_or(MiddleIndex());
  state.version = 0;
  Calibrate(worker);
  if (CostsUnknown() && trend_.Refit(options_.costs->TaskCount())) CountByTrend();
}

double TimingEstimator::UnitsOf(double tasks, double cost, std::optional<double> mean_index) const {
  const double known = equal_cost_ ? tasks * CostOfEach() : cost;
  return mean_index && CostsUnknown() ? known * RelativeCost(*mean_index) : known;
}

double TimingEstimator::MiddleIndex() const {
  return options_.costs != nullptr ? static_cast<double>(options_.costs->TaskCount()) / 2 : 0;
}

void TimingEstimator::ObserveCosts(WorkerId worker, std::int64_t tasks, model::Cost cost,
                                   double seconds) {
  if (!CostsDeclared() || equal_cost_) return;
  reliability_.Observe(worker, tasks, cost, seconds);
  if (reliability_.CostsAreNoise(options_.costs->TaskCount())) {
    CountEqually(model::CostUse::kNoise);
  } else if (IndexSaysMoreThanCosts()) {
    CountEqually(model::CostUse::kIndexIsBetter);
  }
}

model::CostFindings TimingEstimator::Costs() const {
  model::CostFindings found;
  if (!CostsDeclared()) return found;
  found.use = cost_use_;
  found.time_sigma = std::sqrt(reliability_.VarianceAroundCosts());
  const auto slope = reliability_.Slope();
  if (!slope) return found;
  found.slope = slope->value;
  found.slope_sigma = slope->standard_error;
  return found;
}

bool TimingEstimator::IndexSaysMoreThanCosts() const {
  const double around_costs = reliability_.VarianceAroundCosts();
  return around_costs > kVarianceOfGoodCosts && trend_.Found() != IndexTrend::Direction::kNone &&
         trend_.Variance() < kMuchLessVariance * around_costs;
}

void TimingEstimator::CountEqually(model::CostUse reason) {
  cost_use_ = reason;
  const std::int64_t tasks = std::max<std::int64_t>(options_.costs->TaskCount(), 1);
  equal_cost_ = std::max<model::Cost>(options_.costs->Total() / tasks, 1);
  for (State& state : workers_) state.cost = state.tasks * static_cast<double>(*equal_cost_);
  SetSpread(reliability_.VarianceOfEqualTasks());
}

void TimingEstimator::CountByTrend() {
  for (State& state : workers_) {
    if (state.tasks <= 0) continue;
    state.cost = state.tasks * CostOfEach() * RelativeCost(state.index_sum / state.tasks);
  }
  SetSpread(trend_.Variance());
}

void TimingEstimator::SetSpread(double variance) {
  all_spread_ = all_spread_tasks_ * variance;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    State& state = workers_[i];
    if (state.tasks <= 0) continue;
    state.spread = state.tasks * variance;
    state.version = 0;
    Calibrate({i});
  }
}

void TimingEstimator::NoteDelivery(WorkerId worker, Duration delay, std::int64_t tasks) {
  State& state = workers_[worker.value];
  const double beyond = std::max(ToSeconds(delay - RoundTrip(worker)), 0.0);
  const double task = beyond / static_cast<double>(std::max<std::int64_t>(tasks, 1));
  const double kept = 1 - 1 / kDeliveriesKept;
  state.delivery_samples = state.delivery_samples * kept + 1;
  state.delivery_seconds = state.delivery_seconds * kept + task;
  const bool starting = state.all_tasks <= kTasksOfStart * state.threads;
  auto& shortest = !starting || beyond >= kLongestStartSeconds ? state.transfer : state.start;
  shortest = std::min(task, shortest.value_or(task));
}

void TimingEstimator::NoteThroughput(WorkerId worker, std::int64_t tasks, Duration time) {
  State& state = workers_[worker.value];
  if (state.tasks <= 0) return;
  const double seconds = std::max(ToSeconds(time), 0.0);
  const double memory = MemorySeconds(state.busy_seconds / state.tasks);
  const double kept = memory / (memory + seconds);
  state.throughput_tasks = state.throughput_tasks * kept + static_cast<double>(tasks);
  state.throughput_seconds = state.throughput_seconds * kept + seconds;
}

void TimingEstimator::NoteTransfer(WorkerId worker, const model::DataTransfer& transfer,
                                   std::int64_t tasks) {
  State& state = workers_[worker.value];
  const auto count = static_cast<double>(tasks);
  const double kept = kFetchesKept / (kFetchesKept + count);
  state.fetched_bytes = state.fetched_bytes * kept + static_cast<double>(transfer.bytes);
  state.fetched_tasks = state.fetched_tasks * kept + count;
  state.link.Add(transfer);
  if (state.link.time < kLinkSample || state.link.bytes == 0) return;
  const double rate = static_cast<double>(state.link.bytes) / ToSeconds(state.link.time);
  state.fastest_link = std::max(state.fastest_link, rate);
  state.link = {};
}

void TimingEstimator::NoteWaiting(WorkerId worker, Duration waited, std::int64_t missing) {
  State& state = workers_[worker.value];
  state.all_waited_seconds += ToSeconds(waited);
  state.waited_of_busy += ToSeconds(waited);
  if (missing <= 0) return;
  const auto count = static_cast<double>(missing);
  const double kept = kFetchesKept / (kFetchesKept + count);
  state.waited_seconds = state.waited_seconds * kept + ToSeconds(waited);
  state.missing_tasks = state.missing_tasks * kept + count;
}

double TimingEstimator::ShortestFetch(WorkerId worker) const {
  const State& state = workers_[worker.value];
  if (state.fastest_link <= 0 || state.fetched_tasks <= 0) return 0;
  return state.fetched_bytes / state.fetched_tasks / state.fastest_link;
}

Duration TimingEstimator::DeliveryTime(WorkerId worker) const {
  const State& state = workers_[worker.value];
  if (state.delivery_samples <= 0) return RoundTrip(worker);
  return RoundTrip(worker) + FromSeconds(state.delivery_seconds / state.delivery_samples);
}

double TimingEstimator::TransferSeconds(WorkerId worker) const {
  const State& state = workers_[worker.value];
  const bool by_start = !state.transfer && StartWasTransfer(worker);
  return LimitedByThroughput(by_start ? state.start : state.transfer, state);
}

bool TimingEstimator::StartWasTransfer(WorkerId worker) const {
  const State& state = workers_[worker.value];
  if (!state.start || state.tasks <= 0 || state.throughput_tasks <= 0) return false;
  if (state.all_tasks <= kTasksOfStart * state.threads) return false;
  // Waiting for messages, with a task leased ahead for each thread, takes less time per task.
  if (LimitedByThroughput(state.start, state) <= ToSeconds(RoundTrip(worker))) return false;
  const double computing = state.busy_seconds / state.tasks / state.threads;
  return state.throughput_seconds / state.throughput_tasks > kWaitingForData * computing;
}

double TimingEstimator::DoubtfulTransferSeconds(WorkerId worker) const {
  const State& state = workers_[worker.value];
  return state.transfer ? 0 : LimitedByThroughput(state.start, state);
}

double TimingEstimator::LimitedByThroughput(std::optional<double> seconds, const State& state) {
  if (!seconds || state.throughput_tasks <= 0) return seconds.value_or(0);
  return std::min(*seconds, state.throughput_seconds / state.throughput_tasks);
}

const TimingEstimator::State& TimingEstimator::Current(WorkerId worker) const {
  State& state = workers_[worker.value];
  if (state.version == calibration_.Version()) return state;
  const auto prior = Prior(worker);
  state.thread_rate = 1.0 / Combine(state, prior);
  state.rate_variance = state.tasks <= 0
                            ? prior.variance
                            : 1.0 / (1.0 / prior.variance + 1.0 / MeasuredVariance(state));
  state.version = AnyMeasured() ? calibration_.Version() : 0;
  return state;
}

double TimingEstimator::ThreadRate(WorkerId worker) const { return Current(worker).thread_rate; }

bool TimingEstimator::AddUnfinished(WorkerId worker, double cost, double elapsed_seconds,
                                    State& state) const {
  const double rate = ThreadRate(worker);
  if (cost <= 0 || elapsed_seconds * rate <= cost) return false;
  state.tasks += 1;
  state.cost += cost;
  state.busy_seconds +=
      elapsed_seconds + ResidualOf(cost / rate, elapsed_seconds, Uncertainty(worker)).mean;
  return true;
}

double TimingEstimator::ThreadRate(WorkerId worker, double cost, Duration elapsed) const {
  State state = Current(worker);
  if (!AddUnfinished(worker, cost, ToSeconds(elapsed), state)) return state.thread_rate;
  return 1.0 / Combine(state, Prior(worker));
}

void TimingEstimator::ObserveUnfinished(WorkerId worker, model::Cost cost, Duration elapsed,
                                        std::optional<double> index) {
  State& state = workers_[worker.value];
  const double units = UnitsOf(1, static_cast<double>(cost), index);
  if (!AddUnfinished(worker, units, ToSeconds(elapsed), state)) return;
  state.index_sum += index.value_or(MiddleIndex());
  state.version = 0;
  Calibrate(worker);
}

TimeUncertainty TimingEstimator::Uncertainty(WorkerId worker) const {
  const double guess = options_.task_relative_sigma * options_.task_relative_sigma;
  constexpr double kGuessCountsAsTasks = 4;
  const double task =
      (guess * kGuessCountsAsTasks + all_spread_) / (kGuessCountsAsTasks + all_spread_tasks_);
  return {std::max(task, kSmallestTaskVariance), Current(worker).rate_variance};
}

double TimingEstimator::Combine(const State& state,
                                const WeightCalibration::Prediction& prediction) const {
  const double prior = 1.0 / prediction.rate;  // seconds a unit, as the measured one
  if (state.tasks <= 0) return prior;
  const double measured = state.busy_seconds / state.cost;
  // A prior that the measurements contradict is worth less: its variance is at least what it was
  // found to be wrong by.
  const double wrong_by = (prior - measured) * (prior - measured) / (prior * measured);
  const double prior_weight = 1.0 / (prediction.variance + wrong_by);
  const double measured_weight = 1.0 / MeasuredVariance(state);
  return (prior_weight * prior + measured_weight * measured) / (prior_weight + measured_weight);
}

double TimingEstimator::Rate(WorkerId worker) const {
  return ThreadRate(worker) * static_cast<double>(workers_[worker.value].threads);
}

double TimingEstimator::ComputingRate(WorkerId worker) const {
  const State& state = workers_[worker.value];
  const double computing = state.busy_seconds - state.waited_of_busy;
  const double least = kLeastComputing * state.busy_seconds;
  if (state.busy_seconds <= 0) return Rate(worker);
  return Rate(worker) * state.busy_seconds / std::max(computing, least);
}

double TimingEstimator::RelativeSigma(WorkerId worker) const {
  return std::sqrt(Current(worker).rate_variance);
}

WeightCalibration::Prediction TimingEstimator::Prior(WorkerId worker) const {
  auto prior = calibration_.Predict(worker.value, unit_rate_.value_or(1.0));
  prior.rate /= static_cast<double>(workers_[worker.value].threads);
  return prior;
}

double TimingEstimator::MemorySeconds(double task_seconds) const {
  return std::max(ToSeconds(options_.memory), options_.memory_tasks * task_seconds);
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
  state.waited_of_busy *= factor;
  state.cost *= factor;
  state.index_sum *= factor;
  state.spread *= factor;
}

void TimingEstimator::ForgetIfSurprised(State& state, double unit_seconds, double tasks) {
  if (state.cost <= 0) return;
  const double deviation = unit_seconds / (state.busy_seconds / state.cost) - 1;
  const double variance = TaskVariance(state);
  const double expected = variance / tasks + variance / std::max(state.tasks, 1.0);
  if (deviation * deviation > kSurprise * kSurprise * expected) Fade(state, kKeptAfterSurprise);
}

void TimingEstimator::Calibrate(WorkerId worker) {
  const State& state = workers_[worker.value];
  const double node_rate = static_cast<double>(state.threads) * state.cost / state.busy_seconds;
  const double weights = options_.prior_relative_sigma * options_.prior_relative_sigma;
  calibration_.Set(worker.value, node_rate, weights / (weights + MeasuredVariance(state)));
}

}  // namespace evenkeel::scheduling
