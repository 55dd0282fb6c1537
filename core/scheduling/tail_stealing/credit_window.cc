#include "core/scheduling/tail_stealing/credit_window.h"

#include <algorithm>

namespace evenkeel::scheduling {
namespace {

// Part of a worker's mean share that it gets before anything was measured.
constexpr double kProbePart = 0.001;
// A window is refilled when half of it is left, and the refill takes a round trip: the least window
// has half a round trip to spare. Estimates of the round trip are those under load, so more would
// only lease tasks that others could take.
constexpr int kLeastRoundTrips = 3;
constexpr std::int64_t kFirstTasks = 4;
// A busy processor delays tasks by as much. If that were taken for a transfer, tasks would be sent
// one by one from then on: they wait for their thread, so no later delivery shows that they have no
// data.
constexpr Duration kShortestTransfer = std::chrono::milliseconds(1);
// Leased tasks that wait are taken back from a worker whose tasks take so many round trips.
constexpr int kRoundTripsOfLongTask = 50;
// Number of round trips from the start of a first task to the first check whether tasks wait in
// vain behind it. The time to each later check is twice as long.
constexpr int kRoundTripsToFirstLook = 8;
constexpr int kFullRoundTrips = 2 * kLeastRoundTrips;
// Long tasks are leased ahead to save messages only, while there is much work left: a window is at
// most this part of it.
constexpr int kLongTasksPart = 32;
// Tasks in a message, for each that the worker has completed, while its tasks may wait for data.
constexpr double kTasksInDoubt = 2;

}  // namespace

Duration CreditWindow::Length(WorkerId worker) const {
  if (!Credit()) return Duration::zero();
  // The link runs dry a round trip and the computing of a task before the worker does. The window
  // is refilled when half of it is left.
  if (SendsOneByOne(worker)) {
    return 2 * (context_.estimator.RoundTrip(worker) + ComputingTime(worker));
  }
  const Duration round_trip = context_.estimator.DeliveryTime(worker);
  const Duration left = predictor_.PoolTime();
  const bool long_tasks = predictor_.TaskTime(worker) > kRoundTripsOfLongTask * round_trip;
  const Duration reports = 3 * context_.report_interval;
  const Duration useful = long_tasks ? std::min(reports, left / kLongTasksPart) : reports;
  const Duration full = std::max(useful, kFullRoundTrips * round_trip);
  return std::clamp(left / 4, kLeastRoundTrips * round_trip, full);
}

bool CreditWindow::SendsOneByOne(WorkerId worker) const {
  if (!context_.estimator.Measured(worker)) return true;
  const Duration transfer = FromSeconds(context_.estimator.TransferSeconds(worker));
  if (transfer <= kShortestTransfer) return false;
  return transfer > std::min(context_.estimator.RoundTrip(worker), ComputingTime(worker));
}

Duration CreditWindow::ComputingTime(WorkerId worker) const {
  return predictor_.TaskTime(worker) / context_.estimator.Threads(worker);
}

std::int64_t CreditWindow::LeastTasks(WorkerId worker, Instant now) const {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  if (!Credit()) return threads;
  if (DataTravel()) return 2 * threads;
  if (!context_.estimator.Measured(worker)) {
    if (RunsLongTask(worker, now)) return threads;
    const std::int64_t share = pool_.Of(worker).Tasks() + context_.leases.OutstandingTasks(worker);
    return std::clamp(share / 2, threads, kFirstTasks * threads);
  }
  const bool ahead = !predictor_.FewLongTasks(worker) && AnotherEndsInTime(worker, now);
  return ahead ? 2 * threads : threads;
}

bool CreditWindow::AnotherEndsInTime(WorkerId worker, Instant now) const {
  const Instant end = predictor_.Ready(worker, now) + predictor_.TaskTime(worker);
  // The level is not before the end of the same work without idle threads, which is known at once.
  return end <= now + predictor_.PoolTime() || end <= predictor_.Level(now);
}

bool CreditWindow::NeedsRefill(WorkerId worker, Instant now) const {
  if (context_.leases.OutstandingTasks(worker) < LeastTasks(worker, now)) return true;
  if (!context_.estimator.Measured(worker)) return false;
  return predictor_.Ready(worker, now) - now < Length(worker) / 2;
}

bool CreditWindow::RunsLongTask(WorkerId worker, Instant now) const {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  const bool measured = context_.estimator.Measured(worker);
  Duration task = measured ? predictor_.TaskTime(worker) : Duration::zero();
  for (const RunningTask& running : context_.leases.Running(worker, threads)) {
    task = std::max(task, now - running.since);
  }
  if (const auto first = FirstTaskStart(worker)) task = std::max(task, now - *first);
  return task > kRoundTripsOfLongTask * context_.estimator.DeliveryTime(worker);
}

// It starts its first task when that arrives, and reports its first result at once.
std::optional<Instant> CreditWindow::FirstTaskStart(WorkerId worker) const {
  const auto& estimator = context_.estimator;
  if (estimator.Measured(worker) || !estimator.RoundTripMeasured(worker)) return std::nullopt;
  if (context_.leases.OutstandingTasks(worker) == 0) return std::nullopt;
  return context_.leases.WorkingSince(worker);
}

std::optional<Instant> CreditWindow::NextLookAtFirstTask(WorkerId worker, Instant now) const {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  const auto start = FirstTaskStart(worker);
  if (!start || context_.leases.OutstandingTasks(worker) <= threads) return std::nullopt;
  Duration look = FirstLook(worker);
  while (*start + look <= now) look *= 2;
  return *start + look;
}

Duration CreditWindow::FirstLook(WorkerId worker) const {
  return kRoundTripsToFirstLook * context_.estimator.DeliveryTime(worker) + Duration{1};
}

bool CreditWindow::FirstTaskIsLate(WorkerId worker, Instant now) const {
  const auto start = FirstTaskStart(worker);
  // Before anything is measured, no time of a task can be compared with others.
  return start && context_.estimator.RatesKnown() && now - *start >= FirstLook(worker);
}

bool CreditWindow::WaitInVain(WorkerId worker, Instant now) const {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  if (DataTravel() || context_.leases.OutstandingTasks(worker) <= threads) return false;
  const bool runs_long = RunsLongTask(worker, now);
  if (!runs_long && !FirstTaskIsLate(worker, now)) return false;
  if (runs_long && predictor_.FewLongTasks(worker)) return true;
  const Instant ready = predictor_.Ready(worker, now);
  return ready > now + predictor_.PoolTime() && ready > predictor_.Level(now);
}

model::Cost CreditWindow::Budget(WorkerId worker, Instant now) const {
  double budget = 0;
  if (context_.estimator.Measured(worker)) {
    const Duration ahead = std::max(predictor_.Ready(worker, now) - now, Duration::zero());
    budget = ToSeconds(Length(worker) - ahead) * predictor_.Rate(worker);
    // The delay of its first tasks may be a transfer that takes longer than computing. Then the
    // tasks of a message wait for the data of all of them.
    const Duration transfer = FromSeconds(context_.estimator.DoubtfulTransferSeconds(worker));
    if (transfer > std::max(kShortestTransfer, ComputingTime(worker))) {
      const auto completed = static_cast<double>(context_.estimator.TasksRun(worker));
      budget = std::min(budget, kTasksInDoubt * completed * predictor_.MeanCost());
    }
  } else if (Credit()) {
    budget = kProbePart * static_cast<double>(context_.costs.Total()) /
             static_cast<double>(pool_.Workers());
  }
  return static_cast<model::Cost>(std::clamp(budget, 0.0, model::kMostCost));
}

}  // namespace evenkeel::scheduling
