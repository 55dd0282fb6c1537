#include "core/engine/worker_room.h"

#include <algorithm>

#include "core/scheduling/predicted_time.h"

namespace evenkeel::engine {

namespace {

// A worker takes a task if it will have run its leases within so many report intervals, which is
// about what strategies lease ahead.
constexpr int kReportIntervalsAhead = 3;

}  // namespace

std::vector<WorkerRoom::WorkerId> WorkerRoom::WorkersWithRoom(Instant now) const {
  std::vector<WorkerId> workers;
  for (const auto& [stream, worker] : parts_.membership.Streams()) {
    if (HasRoom(worker, now)) workers.push_back(worker);
  }
  return workers;
}

bool WorkerRoom::HasRoom(WorkerId worker, Instant now) const {
  if (parts_.isolation.IsReserved(worker) || parts_.membership.At(worker).draining) return false;
  const auto threads = static_cast<std::int64_t>(parts_.estimator.Threads(worker));
  if (parts_.ledger.OutstandingTasks(worker) < 2 * threads) return true;
  return parts_.estimator.Measured(worker) &&
         ReadyTime(worker, now) - now < kReportIntervalsAhead * report_interval_;
}

Instant WorkerRoom::ReadyTime(WorkerId worker, Instant now) const {
  if (parts_.ledger.OutstandingTasks(worker) == 0) return now;
  const auto cost = static_cast<double>(parts_.ledger.OutstandingCost(worker));
  return std::max(now, parts_.ledger.WorkingSince(worker) +
                           scheduling::PredictedTime(cost / parts_.estimator.Rate(worker)));
}

Instant WorkerRoom::EndOf(model::TaskIndex index, WorkerId worker, Instant now) const {
  const auto cost = static_cast<double>(parts_.costs.Of({index, index + 1}));
  return ReadyTime(worker, now) +
         scheduling::PredictedTime(cost / parts_.estimator.ThreadRate(worker));
}

}  // namespace evenkeel::engine
