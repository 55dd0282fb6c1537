#include "core/scheduling/tail_stealing/finish_predictor.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::scheduling {
namespace {

// About 60 years: no level is worth looking for beyond it, and sums stay within 63 bits.
constexpr Duration kFarAway{2'000'000'000'000'000'000};

bool DoneBy(const std::vector<Slot>& slots, std::int64_t tasks, Instant level) {
  std::int64_t done = 0;
  for (const Slot& slot : slots) {
    if (level <= slot.ready) continue;
    done += slot.threads * ((level - slot.ready) / slot.task);
    if (done >= tasks) return true;
  }
  return false;
}

// Reserved tasks per worker, and round trips of a task, from which on tasks are few and long: a
// round trip is at most 1 % of such a task.
constexpr std::int64_t kFewTasks = 8;
constexpr int kRoundTripsPerTask = 100;
// With more workers the finish level is kept while it has hardly moved.
constexpr std::size_t kWorkersForExactLevel = 32;

}  // namespace

Instant FinishLevel(const std::vector<Slot>& slots, std::int64_t tasks) {
  EVENKEEL_CHECK(!slots.empty(), "a finish level without workers");
  Instant low = Instant::max();
  Duration step = Duration::max();
  for (const Slot& slot : slots) {
    low = std::min(low, slot.ready);
    step = std::min(step, slot.task);
  }
  const Instant start = low;
  Duration span = step;
  while (span < kFarAway && !DoneBy(slots, tasks, start + span)) {
    low = start + span;
    span *= 2;
  }
  Instant high = start + span;
  const Duration tolerance = std::max(step / 1000, Duration{1});
  while (high - low > tolerance) {
    const Instant middle = low + (high - low) / 2;
    (DoneBy(slots, tasks, middle) ? high : low) = middle;
  }
  return high;
}

void FinishPredictor::Update(WorkerId worker, Instant now) {
  Known& known = known_[worker.value];
  const double rate = Usable(worker) ? SuppliedRate(worker) : 0.0;
  rate_sum_ += rate - known.rate;
  known.rate = rate;
  Reindex(worker, now);
}

void FinishPredictor::UpdateReservation(WorkerId worker, Instant now) {
  Known& known = known_[worker.value];
  const Reservation& reserved = pool_.Of(worker);
  pool_cost_ += reserved.CostSum() - known.reserved;
  pool_tasks_ += reserved.Tasks() - known.tasks;
  known.reserved = reserved.CostSum();
  known.tasks = reserved.Tasks();
  IndexFinish(worker, now);
}

void FinishPredictor::Reindex(WorkerId worker, Instant now) {
  const bool leased = pool_.Alive(worker) && context_.leases.OutstandingTasks(worker) > 0;
  Known& known = known_[worker.value];
  known.outlook = PredictOutlook(worker, now);
  known.predicted_at = now;
  ready_.Set(worker, leased ? known.outlook.ready : kNever);
  IndexFinish(worker, now);
}

void FinishPredictor::IndexFinish(WorkerId worker, Instant now) {
  finish_.Set(worker, pool_.Of(worker).Empty() ? kNever : Finish(worker, now));
}

Instant FinishPredictor::Finish(WorkerId worker, Instant now) const {
  const auto reserved = static_cast<double>(pool_.Of(worker).CostSum());
  const double transfers =
      static_cast<double>(pool_.Of(worker).Tasks()) * context_.estimator.TransferSeconds(worker);
  const Outlook outlook = OutlookOf(worker, now);
  const double running = outlook.slowdown * reserved / Rate(worker) - SecondsSaved(worker);
  return outlook.ready + PredictedTime(std::max({running, transfers, 0.0}));
}

double FinishPredictor::SecondsSaved(WorkerId worker) const {
  return static_cast<double>(pool_.Of(worker).HeldTasks()) *
         context_.estimator.WaitSeconds(worker) / context_.estimator.Threads(worker);
}

double FinishPredictor::Rate(WorkerId worker) const {
  const double rate = SuppliedRate(worker);
  return Usable(worker) ? rate : rate * 0.5;
}

double FinishPredictor::SuppliedRate(WorkerId worker) const {
  double rate = context_.estimator.Rate(worker);
  const double mean = MeanCost();
  if (mean <= 0) return rate;
  const double transfer = context_.estimator.TransferSeconds(worker);
  if (transfer > 0) rate = std::min(rate, mean / transfer);
  if (const auto limit = medium_.Limit(worker)) rate = std::min(rate, mean * *limit);
  return rate;
}

FinishPredictor::Outlook FinishPredictor::PredictOutlook(WorkerId worker, Instant now) const {
  const std::int64_t tasks = context_.leases.OutstandingTasks(worker);
  if (tasks == 0) return {now, 1};
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  const Instant expected = context_.leases.WorkingSince(worker) + ExpectedTime(worker);
  const bool some_wait = tasks > threads;
  const bool measured = context_.estimator.Measured(worker);
  const bool few_wait = tasks <= 2 * threads;
  if (some_wait && expected > now && measured && !few_wait) return {expected, 1};
  const RunningTasks all = RunningAt(worker, now);
  const double rate = all.front().rate;
  const double slowdown = std::max(context_.estimator.ThreadRate(worker) / rate, 1.0);
  double seconds = 0;
  for (const Running& running : all) seconds = std::max(seconds, running.residual.mean);
  if (some_wait && (!measured || few_wait)) {
    if (!measured && slowdown <= 1 && expected > now) return {expected, 1};
    // A first result is reported at once, and so is each while few tasks wait: these wait behind
    // those that it runs.
    const auto waiting = static_cast<double>(tasks - threads) / static_cast<double>(tasks);
    seconds += waiting * LeasedCost(worker) / (rate * static_cast<double>(threads));
  }
  const Instant by_running =
      now + std::max(PredictedTime(seconds), context_.estimator.RoundTrip(worker));
  if (expected <= now) return {by_running, slowdown};
  return {some_wait ? std::max(by_running, expected) : by_running, 1};
}

Duration FinishPredictor::ExpectedTime(WorkerId worker) const {
  const std::int64_t tasks = context_.leases.OutstandingTasks(worker);
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  const double rate =
      context_.estimator.ThreadRate(worker) * static_cast<double>(std::min(tasks, threads));
  const double transfers = static_cast<double>(tasks) * context_.estimator.TransferSeconds(worker);
  return PredictedTime(std::max(LeasedCost(worker) / rate, transfers));
}

double FinishPredictor::SecondsOf(double cost, WorkerId worker) const {
  return known_[worker.value].outlook.slowdown * cost / context_.estimator.ThreadRate(worker);
}

FinishPredictor::RunningTasks FinishPredictor::RunningAt(WorkerId worker, Instant now) const {
  RunningTasks all;
  const auto& estimator = context_.estimator;
  const Duration delivery = estimator.DeliveryTime(worker) - estimator.RoundTrip(worker) / 2;
  for (const RunningTask& running : context_.leases.Running(worker, estimator.Threads(worker))) {
    const Duration elapsed = now - running.since - (running.start_known ? Duration{} : delivery);
    const model::IndexRange task{running.index, running.index + 1};
    all.push_back({task, CostOf(task), std::max(ToSeconds(elapsed), 0.0)});
  }
  if (all.empty()) all.push_back(UnreportedAt(worker, now));
  PredictRunning(worker, all);
  return all;
}

FinishPredictor::Running FinishPredictor::UnreportedAt(WorkerId worker, Instant now) const {
  const auto tasks = static_cast<double>(context_.leases.OutstandingTasks(worker));
  const auto threads = static_cast<double>(context_.estimator.Threads(worker));
  const double cost = LeasedCost(worker) / tasks;
  // Tasks that wait behind others should have taken their time. With no more than one that waits
  // for each thread, the worker reports each result at once.
  const double waiting = std::max(tasks - 2 * threads, 0.0) / threads;
  const double mean = cost / context_.estimator.ThreadRate(worker);
  const double working = ToSeconds(now - context_.leases.WorkingSince(worker));
  return {context_.leases.OldestLeased(worker), cost, std::max(working - waiting * mean, 0.0)};
}

double FinishPredictor::CopyEndsIn(WorkerId holder, model::TaskIndex task, double cost,
                                   Instant now) const {
  // The cost of the task is given: only the worker can be slower than expected.
  const TimeUncertainty of_worker{0, context_.estimator.Uncertainty(holder).rate};
  const double mean = cost / context_.estimator.ThreadRate(holder);
  return ResidualOf(mean, CopyRunsFor(holder, task, now), of_worker).mean;
}

double FinishPredictor::CopyRunsFor(WorkerId holder, model::TaskIndex task, Instant now) const {
  const auto started = context_.leases.StartOf(holder, task, context_.estimator.Threads(holder));
  const Instant since = started.value_or(context_.leases.WorkingSince(holder));
  return std::max(ToSeconds(now - since), 0.0);
}

double FinishPredictor::Deviation(WorkerId worker) const {
  const TimeUncertainty uncertainty = context_.estimator.Uncertainty(worker);
  return std::sqrt(uncertainty.task + uncertainty.rate);
}

void FinishPredictor::PredictRunning(WorkerId worker, RunningTasks& all) const {
  double rate = context_.estimator.ThreadRate(worker);
  for (const Running& running : all) {
    const Duration elapsed = FromSeconds(running.elapsed);
    rate = std::min(rate, context_.estimator.ThreadRate(worker, running.cost, elapsed));
  }
  const TimeUncertainty uncertainty = context_.estimator.Uncertainty(worker);
  for (Running& running : all) {
    running.rate = rate;
    running.residual = ResidualOf(running.cost / rate, running.elapsed, uncertainty);
    running.deviation = std::sqrt(uncertainty.task + uncertainty.rate);
  }
}

double FinishPredictor::CostOf(model::IndexRange tasks) const {
  const auto cost = static_cast<double>(context_.costs.Of(tasks));
  return context_.costs.Known() ? cost : cost * context_.estimator.RelativeCost(tasks.Middle());
}

double FinishPredictor::LeasedCost(WorkerId worker) const {
  if (!context_.estimator.HasTrend()) {
    const auto each = context_.estimator.EqualCost();
    return static_cast<double>(each ? context_.leases.OutstandingTasks(worker) * *each
                                    : context_.leases.OutstandingCost(worker));
  }
  double cost = 0;
  for (const auto* tasks : {&context_.leases.Leased(worker), &context_.leases.Copies(worker)}) {
    tasks->ForEach([&](model::IndexRange range) { cost += CostOf(range); });
  }
  return cost;
}

double FinishPredictor::MeanCost() const {
  if (pool_tasks_ == 0) return context_.MeanCost();
  return static_cast<double>(pool_cost_) / static_cast<double>(pool_tasks_);
}

Duration FinishPredictor::TaskTime(WorkerId worker) const {
  return std::max(PredictedTime(SecondsOf(MeanCost(), worker)), Duration{1});
}

Duration FinishPredictor::CycleTime(WorkerId worker) const {
  const double threads = static_cast<double>(context_.estimator.Threads(worker));
  const Duration transfers = PredictedTime(threads * context_.estimator.TransferSeconds(worker));
  return std::max(TaskTime(worker) + context_.estimator.DeliveryTime(worker), transfers);
}

Duration FinishPredictor::PoolTime() const {
  if (rate_sum_ <= 0) return Duration::zero();
  return PredictedTime(static_cast<double>(pool_cost_) / rate_sum_);
}

std::int64_t FinishPredictor::TasksEndingSoon(Instant now) const {
  std::int64_t ending = 0;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!Usable({i}) || context_.leases.OutstandingTasks({i}) == 0) continue;
    const double soon = ToSeconds(TaskTime({i})) / 2;
    for (const Running& running : RunningAt({i}, now)) {
      if (running.residual.mean < soon) ++ending;
    }
  }
  return ending;
}

bool FinishPredictor::FewLongTasks(WorkerId worker) const {
  if (pool_tasks_ > kFewTasks * static_cast<std::int64_t>(pool_.Workers())) return false;
  if (!context_.estimator.Measured(worker)) return true;
  return TaskTime(worker) > kRoundTripsPerTask * context_.estimator.DeliveryTime(worker);
}

double FinishPredictor::LargestKept() const {
  double largest = 0;
  if (!context_.costs.Known() && !context_.estimator.HasTrend()) return largest;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    const Reservation& reserved = pool_.Of({i});
    if (context_.costs.Known()) {
      const model::Cost heavy = reserved.LargestHeavy(context_.costs.Longest());
      largest = std::max(largest, static_cast<double>(heavy));
    } else if (const auto first = reserved.FirstOfRanges()) {
      largest = std::max(largest, CostOf({*first, *first + 1}));
    }
  }
  return largest;
}

double FinishPredictor::LargestCost() const { return std::max(LargestKept(), MeanCost()); }

Instant FinishPredictor::EarliestEndOfLargest(Instant now) const {
  const double largest = LargestKept();
  if (largest <= 0) return now;
  Instant earliest = kNever;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!Usable({i})) continue;
    const Instant ready = ready_.TimeOf({i});
    const Instant end = (ready == kNever ? now : std::max(ready, now)) +
                        PredictedTime(SecondsOf(largest, {i})) +
                        context_.estimator.DeliveryTime({i});
    earliest = std::min(earliest, end);
  }
  return earliest == kNever ? now : earliest;
}

Instant FinishPredictor::Level(Instant now) {
  if (pool_.Workers() > kWorkersForExactLevel && now < level_until_) return level_;
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!Usable({i})) continue;
    const Instant ready = ready_.TimeOf({i});
    slots.push_back({ready == kNever ? now : std::max(ready, now), CycleTime({i}),
                     context_.estimator.Threads({i})});
  }
  level_ = std::max(FinishLevel(slots, pool_tasks_), EarliestEndOfLargest(now));
  // Before anything is measured times are ratios only.
  if (context_.estimator.RatesKnown()) level_until_ = now + (level_ - now) / 64;
  return level_;
}

}  // namespace evenkeel::scheduling
