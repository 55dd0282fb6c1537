#include "core/scheduling/tail_stealing/lease_recall.h"

#include <algorithm>
#include <utility>

namespace evenkeel::scheduling {
namespace {

// Victims looked at before a worker stays idle for now.
constexpr int kMaxRecallVictims = 8;

}  // namespace

std::int64_t LeaseRecall::Waiting(WorkerId worker) const {
  return context_.leases.OutstandingTasks(worker) -
         static_cast<std::int64_t>(context_.estimator.Threads(worker));
}

RecallDecision LeaseRecall::Ask(WorkerId worker, std::int64_t tasks,
                                std::optional<WorkerId> thief) {
  State& state = states_[worker.value];
  state.recalled = true;
  state.gave_back = false;
  state.thief = thief;
  return {worker, tasks, thief};
}

std::optional<RecallDecision> LeaseRecall::RecallFor(WorkerId thief, Instant now) {
  if (!context_.balancing.tail_stealing.stealing) return std::nullopt;
  int looked_at = 0;
  FinishIndex::FromLatest order(predictor_.ByReady());
  for (FinishIndex::Entry entry; looked_at < kMaxRecallVictims && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    const State& state = states_[victim.value];
    if (victim == thief || state.recalled || !predictor_.Usable(victim)) continue;
    const std::int64_t tasks = context_.leases.OutstandingTasks(victim);
    const std::int64_t waiting = Waiting(victim);
    if (waiting <= 0 || tasks == state.tasks_at_failed_recall) continue;
    const Duration round_trip =
        std::max(context_.estimator.RoundTrip(thief), context_.estimator.RoundTrip(victim));
    const double share = goal_.MayTake(predictor_.PartyOf(thief, now + round_trip),
                                       predictor_.PartyOf(victim, entry.first), now);
    if (share <= 0) continue;
    const double mean =
        static_cast<double>(context_.leases.OutstandingCost(victim)) / static_cast<double>(tasks);
    const double wanted = share / std::max(mean, 1e-9) + 0.5;
    const auto count = static_cast<std::int64_t>(std::min(wanted, static_cast<double>(waiting)));
    if (count >= 1) return Ask(victim, count, thief);
  }
  return std::nullopt;
}

std::optional<RecallDecision> LeaseRecall::RecallAll(WorkerId worker) {
  const std::int64_t waiting = Waiting(worker);
  if (waiting <= 0 || states_[worker.value].recalled || !predictor_.Usable(worker)) {
    return std::nullopt;
  }
  return Ask(worker, waiting, std::nullopt);
}

std::optional<WorkerId> LeaseRecall::Ended(WorkerId worker) {
  State& state = states_[worker.value];
  // All its tasks may run already: a second recall is useless until their number changes.
  state.tasks_at_failed_recall = state.gave_back ? -1 : context_.leases.OutstandingTasks(worker);
  state.recalled = false;
  return std::exchange(state.thief, std::nullopt);
}

}  // namespace evenkeel::scheduling
