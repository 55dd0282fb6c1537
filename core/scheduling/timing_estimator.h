#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/model/cost_model.h"
#include "core/model/data_transfer.h"
#include "core/model/task_facts.h"
#include "core/scheduling/cost_reliability.h"
#include "core/scheduling/index_trend.h"
#include "core/scheduling/range_times.h"
#include "core/scheduling/residual_time.h"
#include "core/scheduling/weight_calibration.h"
#include "core/scheduling/worker_id.h"

namespace evenkeel::scheduling {

/// How fast each worker is for this job's profile, in cost units per second, and how sure that is;
/// and how long a message to it and its answer take.
///
/// Sources, each counted by the inverse of its variance (the minimum-variance mean of independent
/// estimates): the prior (the ratio that the worker was weighed with, scaled by what the workers
/// measured so far say a ratio of 1 is worth) and this run's own measurements, recent ones more
/// than old ones. A prior that stands on a history is surer than one that stands on labels, but
/// only until it is contradicted: what is measured now overrules both. A measurement
/// that lies far outside of the noise shortens the memory, so that a board that throttles is
/// noticed within a few reports. Deterministic: additions, multiplications, divisions and square
/// roots only. Not thread-safe. All calls O(1).
class TimingEstimator {
 public:
  struct Options {
    /// Standard deviation of the prior, relative to its value: labels say little.
    double prior_relative_sigma = 0.5;
    /// First guess of the spread of one task's time per unit: large if costs are not known.
    double task_relative_sigma = 0.1;
    /// Measurements fade over this much busy time, or over `memory_tasks` tasks if those last
    /// longer.
    Duration memory = std::chrono::seconds(3);
    double memory_tasks = 24;
    /// Round trip of a worker for which none was measured.
    Duration round_trip = std::chrono::milliseconds(1);
    /// The costs of the job: unknown, or declared and possibly wrong. Outlives the estimator.
    /// Without it, the estimator neither fits a trend nor checks the costs that it observes.
    const model::CostModel* costs = nullptr;
    /// One run of a program does several tasks, and takes a time to start.
    bool runs_ranges = false;
  };

  /// A measured round trip counts as at least this long.
  static constexpr Duration kShortestRoundTrip = std::chrono::microseconds(100);

  explicit TimingEstimator(const Options& options) : options_(options) {}

  /// The next worker (ids are dense). `prior_ratio` > 0 compares workers with each other only.
  /// `threads` >= 1 run tasks side by side. `prior_sigma` > 0: how sure the ratio is; by default
  /// Options::prior_relative_sigma.
  void AddWorker(double prior_ratio, std::uint32_t threads,
                 std::optional<double> prior_sigma = std::nullopt);
  /// Before anything is measured: a ratio of 1 is worth so many units a second (> 0). It counts
  /// until the first measurement of any worker, which says it better than any history.
  void SetUnitRate(double units_per_second) { unit_rate_ = units_per_second; }
  /// Its process started anew, with so many threads: what was measured before still counts.
  void SetThreads(WorkerId worker, std::uint32_t threads);

  /// The worker ran `tasks` tasks of together `cost` units in `busy`, summed over its threads.
  /// `mean_index` of the tasks, if it is known. `saved`: time by which these took less because the
  /// data of some were at the node; rates are those of tasks whose data are not.
  void Observe(WorkerId worker, std::int64_t tasks, model::Cost cost, Duration busy,
               std::optional<double> mean_index = std::nullopt, Duration saved = {});

  /// The worker has run a task of `cost` units for `elapsed`, and will not end it. If it should
  /// have ended it by then, it counts as one that takes the time which was to be expected of it
  /// now.
  void ObserveUnfinished(WorkerId worker, model::Cost cost, Duration elapsed,
                         std::optional<double> index = std::nullopt);

  /// One thread ran these tasks in `busy`, one after the other, of which they `waited` for their
  /// data: says how times go with the index, and how long it takes to start a range.
  void ObserveRange(WorkerId worker, model::IndexRange tasks, Duration busy, Duration waited = {}) {
    trend_.Observe(worker, tasks, ToSeconds(busy - waited));
    if (options_.runs_ranges) ranges_.Observe(worker, tasks.Size(), ToSeconds(busy));
  }
  /// With Options::runs_ranges; else nothing is known.
  [[nodiscard]] const RangeTimes& Ranges() const { return ranges_; }
  [[nodiscard]] bool RunsRanges() const { return options_.runs_ranges; }
  [[nodiscard]] IndexTrend::Direction Trend() const { return trend_.Found(); }
  /// Of costs that are not known, or not used any more: how long a task takes relative to the mean
  /// task, by the trend over the index. Else 1.
  [[nodiscard]] double RelativeCost(double index) const { return trend_.RelativeCost(index); }
  /// Some relative costs are not 1.
  [[nodiscard]] bool HasTrend() const { return trend_.Fitted(); }

  /// Declared costs turned out to be noise, or the trend over the index says much more: each task
  /// counts as this cost, the mean of all, times RelativeCost, in what was observed and will be.
  /// Nothing while costs count as declared. Never changes again once it is there.
  [[nodiscard]] std::optional<model::Cost> EqualCost() const { return equal_cost_; }
  /// Whether the costs of the job are used, and what the measured times say of them.
  [[nodiscard]] model::CostFindings Costs() const;

  /// Measured on the worker's stream; nothing if it was not measured yet.
  void SetRoundTrip(WorkerId worker, std::optional<Duration> measured) {
    workers_[worker.value].round_trip = measured;
  }
  /// Time from a decision to its effect at the worker and back.
  [[nodiscard]] bool RoundTripMeasured(WorkerId worker) const {
    return workers_[worker.value].round_trip.has_value();
  }
  [[nodiscard]] Duration RoundTrip(WorkerId worker) const {
    const auto& measured = workers_[worker.value].round_trip;
    return measured ? std::max(*measured, kShortestRoundTrip) : options_.round_trip;
  }

  /// A task started so long after the decision, on an idle thread; `tasks` were sent together. A
  /// delay of up to 20 ms at its first tasks is not taken for a transfer.
  void NoteDelivery(WorkerId worker, Duration delay, std::int64_t tasks);
  /// The worker completed `tasks` within `time`.
  void NoteThroughput(WorkerId worker, std::int64_t tasks, Duration time);
  /// Expected time from the decision to the start of a task on an idle thread: the round trip, and
  /// what data and queues add to it.
  [[nodiscard]] Duration DeliveryTime(WorkerId worker) const;
  /// Seconds for which a task occupies the way to the worker, at least: as measured, but not more
  /// than its throughput shows. So a first measurement that is too long, because the worker started
  /// meanwhile, does no harm after some tasks.
  [[nodiscard]] double TransferSeconds(WorkerId worker) const;
  /// The same by the delay of the worker's first tasks, while no later task was started on an idle
  /// thread: a transfer, or the start of its process. 0 if the transfer is known.
  [[nodiscard]] double DoubtfulTransferSeconds(WorkerId worker) const;

  /// Seconds for which a task occupied the way to the worker when it was least delayed by others; 0
  /// if it is not known.
  [[nodiscard]] double ShortestTransfer(WorkerId worker) const {
    const State& state = workers_[worker.value];
    return state.transfer ? *state.transfer : TransferSeconds(worker);
  }

  /// Data that the worker fetched for its tasks; `tasks` >= 0 were completed since the last call.
  void NoteTransfer(WorkerId worker, const model::DataTransfer& transfer, std::int64_t tasks);
  /// Bytes per second of the worker's link when it was fastest, least delayed by others on the same
  /// medium; 0 if it is not known.
  [[nodiscard]] double FastestLink(WorkerId worker) const {
    return workers_[worker.value].fastest_link;
  }
  /// Seconds for which the data that the worker fetches for a task occupy its link when it is
  /// fastest; 0 if it is not known.
  [[nodiscard]] double ShortestFetch(WorkerId worker) const;

  /// Part of the observed time that its tasks spent waiting for their data. `missing` >= 0 of them
  /// had data that were not at the node.
  void NoteWaiting(WorkerId worker, Duration waited, std::int64_t missing);
  /// How long a task whose data are not at the node waits for them, as observed; 0 if none was.
  [[nodiscard]] double WaitSeconds(WorkerId worker) const {
    const State& state = workers_[worker.value];
    return state.missing_tasks > 0 ? state.waited_seconds / state.missing_tasks : 0;
  }

  /// Units per second of the whole worker. While RatesKnown() is false, ratios only.
  [[nodiscard]] double Rate(WorkerId worker) const;
  /// The same if its tasks never waited for data.
  [[nodiscard]] double ComputingRate(WorkerId worker) const;
  /// Units per second of one of its threads.
  [[nodiscard]] double ThreadRate(WorkerId worker) const;
  /// The same, with what follows from a task of `cost` units that has run for `elapsed` so far: one
  /// that should have ended before is counted with the time that it is expected to take in all.
  [[nodiscard]] double ThreadRate(WorkerId worker, double cost, Duration elapsed) const;
  /// How uncertain the time of a task on this worker is.
  [[nodiscard]] TimeUncertainty Uncertainty(WorkerId worker) const;
  /// Standard deviation of Rate, relative to it.
  [[nodiscard]] double RelativeSigma(WorkerId worker) const;
  /// All that its threads ever spent in tasks, together; never fades.
  [[nodiscard]] double BusySeconds(WorkerId worker) const {
    return workers_[worker.value].all_busy_seconds;
  }
  /// The same without waiting for data.
  [[nodiscard]] double CalculatingSeconds(WorkerId worker) const {
    const State& state = workers_[worker.value];
    return state.all_busy_seconds - state.all_waited_seconds;
  }
  /// All tasks that it ever ran, as observed; never fades.
  [[nodiscard]] std::int64_t TasksRun(WorkerId worker) const {
    return workers_[worker.value].all_tasks;
  }
  [[nodiscard]] bool Measured(WorkerId worker) const { return workers_[worker.value].tasks > 0; }
  [[nodiscard]] bool AnyMeasured() const { return calibration_.Known(); }
  [[nodiscard]] std::size_t MeasuredWorkers() const { return calibration_.Measured(); }
  /// Rates are units per second, by a measurement or by SetUnitRate().
  [[nodiscard]] bool RatesKnown() const { return AnyMeasured() || unit_rate_.has_value(); }
  [[nodiscard]] std::uint32_t Threads(WorkerId worker) const {
    return workers_[worker.value].threads;
  }
  [[nodiscard]] std::size_t WorkerCount() const { return workers_.size(); }

 private:
  struct State {
    std::uint32_t threads = 1;
    double tasks = 0;         // faded count of tasks
    double busy_seconds = 0;  // faded
    double cost = 0;          // faded
    double index_sum = 0;     // faded
    double spread = 0;        // faded sum of tasks * (relative deviation)^2
    std::int64_t all_tasks = 0;
    double all_busy_seconds = 0;
    double all_waited_seconds = 0;
    double waited_seconds = 0;  // faded by tasks
    double missing_tasks = 0;   // faded by tasks
    double waited_of_busy = 0;  // faded, the part of busy_seconds in which tasks waited
    std::optional<Duration> round_trip{};
    double delivery_samples = 0;     // faded
    double delivery_seconds = 0;     // faded sum, without the round trip
    std::optional<double> transfer;  // shortest measured, seconds
    std::optional<double> start;     // shortest delay of first tasks, seconds
    double throughput_tasks = 0;     // faded
    double throughput_seconds = 0;   // faded
    double fetched_bytes = 0;        // faded
    double fetched_tasks = 0;        // faded
    model::DataTransfer link{};      // the sample of the link that is being taken
    double fastest_link = 0;         // bytes per second
    double thread_rate = 0;          // as computed last
    double rate_variance = 0;        // relative, of thread_rate
    std::uint64_t version = 0;       // of the calibration for which; 0: has to be computed anew
  };

  /// Converts the cost of so many tasks to units: equal costs or the trend replace it if known.
  [[nodiscard]] double UnitsOf(double tasks, double cost, std::optional<double> mean_index) const;
  [[nodiscard]] double MiddleIndex() const;
  void ObserveCosts(WorkerId worker, std::int64_t tasks, model::Cost cost, double seconds);
  /// From now on every task has the mean cost, for this reason.
  void CountEqually(model::CostUse reason);
  /// Computes the cost of the tasks observed so far anew from the present trend.
  void CountByTrend();
  /// Replaces the observed variance of task times around their costs.
  void SetSpread(double variance);
  [[nodiscard]] bool CostsDeclared() const {
    return options_.costs != nullptr && options_.costs->Known();
  }
  /// Not declared, or not used any more.
  [[nodiscard]] bool CostsUnknown() const {
    return options_.costs != nullptr && (!options_.costs->Known() || equal_cost_);
  }
  /// Cost of a mean task where costs are unknown.
  [[nodiscard]] double CostOfEach() const { return static_cast<double>(equal_cost_.value_or(1)); }
  /// Around the trend over the index, times of tasks vary much less than around their declared
  /// costs, which have large errors.
  [[nodiscard]] bool IndexSaysMoreThanCosts() const;
  [[nodiscard]] WeightCalibration::Prediction Prior(WorkerId worker) const;
  /// Adds a task that should have ended before, with its expected time; false: it should not.
  [[nodiscard]] bool AddUnfinished(WorkerId worker, double cost, double elapsed_seconds,
                                   State& state) const;
  /// The state with its rate computed from all measurements so far.
  const State& Current(WorkerId worker) const;
  /// The delay, but not more than the throughput of the worker shows; 0 if it is not known.
  [[nodiscard]] static double LimitedByThroughput(std::optional<double> seconds,
                                                  const State& state);
  /// Whether the delay of its first tasks explains why it completes fewer tasks than it could.
  [[nodiscard]] bool StartWasTransfer(WorkerId worker) const;
  /// Seconds a unit on one thread.
  [[nodiscard]] double Combine(const State& state,
                               const WeightCalibration::Prediction& prior) const;
  [[nodiscard]] double MemorySeconds(double task_seconds) const;
  [[nodiscard]] double TaskVariance(const State& state) const;
  [[nodiscard]] double MeasuredVariance(const State& state) const;
  void Fade(State& state, double factor);
  void ForgetIfSurprised(State& state, double unit_seconds, double tasks);
  void Calibrate(WorkerId worker);

  Options options_;
  mutable std::vector<State> workers_;  // ThreadRate keeps what it has computed
  WeightCalibration calibration_;
  IndexTrend trend_;
  RangeTimes ranges_;
  CostReliability reliability_;
  std::optional<model::Cost> equal_cost_;
  model::CostUse cost_use_ = model::CostUse::kUsed;  // of costs that are declared
  double all_spread_ = 0;  // of all workers: sum of tasks * (relative deviation)^2
  double all_spread_tasks_ = 0;
  std::optional<double> unit_rate_;
};

}  // namespace evenkeel::scheduling
