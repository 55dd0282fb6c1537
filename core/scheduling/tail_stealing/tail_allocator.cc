#include "core/scheduling/tail_stealing/tail_allocator.h"

#include <algorithm>
#include <utility>

namespace evenkeel::scheduling {
namespace {

using model::Cost;

// A task that was moved so often stays where it is, until its worker is lost.
constexpr std::int32_t kMaxMoves = 8;
// Victims looked at for a worker in one call, latest finish first. The first is nearly always it.
constexpr int kMaxVictims = 16;
// A task is a probe if it costs at most this part of what is reserved for a thread.
constexpr Cost kProbesInShare = 64;
// With more workers each takes its own tasks first.
constexpr std::size_t kMaxWorkersForOrder = 256;
// The finish level is exact to the nanosecond and kept for 1/64 of its distance: without tolerance
// the worker that it was computed for might not take the task.
constexpr double kLevelTolerance = 1.0 / 32;
// Victims looked at before a worker stays idle for now.
constexpr int kMaxRecallVictims = 8;

}  // namespace

bool TailAllocator::LastTasks(WorkerId worker) const {
  constexpr int kRoundTripsOfLastTask = 20;  // for shorter tasks a round trip each costs too much
  if (!Stealing() || !context_.estimator.Measured(worker)) return false;
  if (predictor_.FewLongTasks(worker)) return true;
  const Duration task = predictor_.TaskTime(worker);
  return task > kRoundTripsOfLastTask * context_.estimator.RoundTrip(worker) &&
         predictor_.PoolTime() < 2 * task;
}

BalancingGoal::Party TailAllocator::VictimOf(WorkerId worker, Instant indexed, Instant now) const {
  // A goal with a limit compares finishes with it, and needs the current one.
  return predictor_.PartyOf(worker, goal_.LooksAhead() ? predictor_.Finish(worker, now) : indexed);
}

bool TailAllocator::StealRange(WorkerId thief, Instant now, bool ahead) {
  if (!Stealing()) return false;
  int looked_at = 0;
  const auto taker = predictor_.PartyOf(thief, predictor_.Finish(thief, now));
  // The victim needs no message: its reserved tasks have not left the coordinator.
  const double round_trip = ToSeconds(context_.estimator.RoundTrip(thief));
  FinishIndex::FromLatest order(predictor_.ByFinish());
  for (FinishIndex::Entry entry; looked_at < kMaxVictims && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    if (victim == thief) continue;
    const auto giver = VictimOf(victim, entry.first, now);
    const double share =
        ahead ? goal_.MayTakeAhead(taker, giver, now) : goal_.MayTake(taker, giver, now);
    const double least = round_trip * giver.rate * taker.rate / (giver.rate + taker.rate);
    if (share <= least) continue;
    const Reservation& reserved = pool_.Of(victim);
    const auto mean = std::max(
        static_cast<double>(reserved.CostSum()) / static_cast<double>(reserved.Tasks()), 1e-9);
    // Half a task and more is rounded up: moving it still ends earlier than leaving it.
    const double rounded = std::max(share, share >= mean / 2 ? mean : 0.0) + 0.5;
    const auto budget = static_cast<Cost>(std::min(rounded, model::kMostCost));
    const auto pieces = pool_.TakeTailFor(thief, victim, budget, kMaxMoves);
    if (pieces.empty()) continue;
    pool_.Move(victim, thief, pieces);
    return true;
  }
  return false;
}

bool TailAllocator::LargerTaskWaitsElsewhere(WorkerId worker) const {
  if (!context_.costs.Known() || !context_.estimator.Measured(worker)) return false;
  if (goal_.LooksAhead() || predictor_.ByFinish().Empty()) return false;
  const Cost longest = context_.costs.Longest();
  const WorkerId latest = predictor_.ByFinish().Latest().second;
  return pool_.Of(latest).LargestHeavy(longest) > pool_.Of(worker).LargestHeavy(longest);
}

bool TailAllocator::MayOrderAll() const {
  return pool_.Workers() <= kMaxWorkersForOrder && Stealing();
}

bool TailAllocator::EveryTaskMayBeCopied() const {
  return context_.idempotent && !goal_.LooksAhead() &&
         context_.balancing.tail_stealing.speculation == model::Speculation::kWhenIdle;
}

bool TailAllocator::StealWaiting(WorkerId thief) {
  if (!Stealing() || !EveryTaskMayBeCopied()) return false;
  if (context_.estimator.RatesKnown() || !predictor_.FewLongTasks(thief)) return false;
  return MoveTask(thief, static_cast<Cost>(predictor_.MeanCost()),
                  [this](const FinishIndex::Entry& victim) {
                    const auto idle_threads =
                        static_cast<std::int64_t>(context_.estimator.Threads(victim.second)) -
                        context_.leases.OutstandingTasks(victim.second);
                    return pool_.Of(victim.second).Tasks() > idle_threads;
                  });
}

std::optional<ReservedPool::Piece> TailAllocator::TakeProbe(WorkerId worker, Instant now) {
  if (!context_.costs.Known() || context_.estimator.Measured(worker)) return std::nullopt;
  if (!context_.balancing.tail_stealing.credit) return std::nullopt;
  const Cost limit =
      pool_.Of(worker).CostSum() / context_.estimator.Threads(worker) / kProbesInShare;
  if (auto own = pool_.TakeShort(worker, limit)) return own;
  if (!Stealing()) return std::nullopt;
  WorkerId other = worker;
  for (int looked_at = 0; looked_at < kMaxVictims; ++looked_at) {
    other = pool_.NextAlive(other);
    if (other == worker) break;
    auto probe = pool_.TakeShort(other, limit);
    if (!probe) continue;
    NoteTaken(other, worker, *probe, now);
    return probe;
  }
  return std::nullopt;
}

template <typename Allowed>
bool TailAllocator::MoveTask(WorkerId thief, Cost limit, const Allowed& may_give) {
  int looked_at = 0;
  FinishIndex::FromLatest order(predictor_.ByFinish());
  for (FinishIndex::Entry victim; looked_at < kMaxVictims && order.Next(victim); ++looked_at) {
    if (victim.second == thief || !may_give(victim)) continue;
    const auto piece = pool_.TakeLargestFor(thief, victim.second, limit);
    if (!piece) continue;
    pool_.Move(victim.second, thief, {*piece});
    return true;
  }
  return false;
}

Duration TailAllocator::TimeLeft(WorkerId worker, Instant now) {
  const Instant level = std::max(predictor_.Level(now), goal_.Limit());
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  const bool waits = context_.leases.OutstandingTasks(worker) >= threads;
  const Instant start = waits ? std::max(predictor_.Ready(worker, now), now) : now;
  return level - start - context_.estimator.DeliveryTime(worker);
}

Cost TailAllocator::CostLimit(WorkerId worker, bool any_length, Instant now) {
  if (any_length) return context_.costs.Longest();
  const Duration left = TimeLeft(worker, now);
  double limit = ToSeconds(left) * context_.estimator.ThreadRate(worker);
  if (context_.costs.Known()) {
    limit *= 1 + kLevelTolerance;
  } else if (left >= predictor_.TaskTime(worker)) {
    limit = std::max(limit, static_cast<double>(context_.costs.Longest()));
  }
  return static_cast<Cost>(std::min(limit + 1e-6, model::kMostCost));
}

ReservedPool::Pieces TailAllocator::TakeLastTasks(WorkerId worker, std::int64_t count,
                                                  bool any_length, Instant now) {
  ReservedPool::Pieces taken;
  for (; count > 0; --count) {
    auto piece = TakeLastTask(worker, any_length, now);
    if (!piece && !any_length && EveryTaskMayBeCopied()) piece = TakeLastTask(worker, true, now);
    if (!piece) break;
    predictor_.UpdateReservation(worker, now);
    taken.push_back(*piece);
  }
  return taken;
}

std::optional<ReservedPool::Piece> TailAllocator::TakeLastTaskAhead(WorkerId worker, Instant now) {
  auto piece = TakeLastTask(worker, false, now);
  if (piece) predictor_.UpdateReservation(worker, now);
  return piece;
}

std::optional<ReservedPool::Piece> TailAllocator::TakeLastTask(WorkerId worker, bool any_length,
                                                               Instant now) {
  const bool by_trend = !context_.costs.Known() && context_.estimator.HasTrend() && MayOrderAll();
  if (by_trend) return TakeByTrend(worker, any_length, now);
  const Cost limit = CostLimit(worker, any_length, now);
  if (!context_.costs.Known() && limit < context_.costs.Longest()) return std::nullopt;
  return TakeLargest(worker, limit, now);
}

std::optional<ReservedPool::Piece> TailAllocator::TakeLargest(WorkerId worker, Cost limit,
                                                              Instant now) {
  auto piece = TakeFirstOfAll(worker, limit, now);
  if (!piece) piece = pool_.TakeLargest(worker, limit);
  if (!piece && StealTask(worker, limit, now)) piece = pool_.TakeLargest(worker, limit);
  return piece;
}

std::optional<ReservedPool::Piece> TailAllocator::TakeFirstOfAll(WorkerId worker, Cost limit,
                                                                 Instant now) {
  if (!MayOrderAll()) return std::nullopt;
  // Where costs are not known, the place of data counts more than the order.
  if (!context_.costs.Known() && !context_.holders.Empty()) return std::nullopt;
  const auto first = context_.costs.Known() ? WithLargest(limit) : WithIndexed(true);
  if (!first) return std::nullopt;
  auto piece = pool_.TakeLargest(*first, limit);
  if (piece) NoteTaken(*first, worker, *piece, now);
  return piece;
}

void TailAllocator::NoteTaken(WorkerId from, WorkerId to, const ReservedPool::Piece& piece,
                              Instant now) {
  if (from == to) return;
  pool_.RecordMove(from, to, {piece});
  predictor_.UpdateReservation(from, now);
}

std::optional<ReservedPool::Piece> TailAllocator::TakeByTrend(WorkerId worker, bool any_length,
                                                              Instant now) {
  const double left = ToSeconds(TimeLeft(worker, now)) * (1 + kLevelTolerance);
  for (const bool longest : {true, false}) {
    const auto from = WithIndexed(longest);
    if (!from) return std::nullopt;
    const Reservation& reserved = pool_.Of(*from);
    const model::TaskIndex task = longest ? *reserved.FirstOfRanges() : *reserved.LastOfRanges();
    const double seconds =
        predictor_.CostOf({task, task + 1}) / context_.estimator.ThreadRate(worker);
    if (!any_length && seconds > left) continue;
    std::optional<ReservedPool::Piece> piece;
    if (longest) {
      piece = pool_.TakeLargest(*from, context_.costs.Longest());
    } else if (const auto last = pool_.TakeTail(*from, context_.costs.Longest(), kMaxMoves);
               !last.empty()) {
      piece = last.front();
    }
    if (piece) NoteTaken(*from, worker, *piece, now);
    return piece;
  }
  return std::nullopt;
}

std::optional<WorkerId> TailAllocator::WithLargest(Cost limit) const {
  std::optional<WorkerId> best;
  Cost largest = 0;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    const Cost cost = pool_.Of({i}).LargestHeavy(limit);
    if (cost <= largest) continue;
    best = WorkerId{i};
    largest = cost;
  }
  return best;
}

std::optional<WorkerId> TailAllocator::WithIndexed(bool first) const {
  const bool lowest = first != pool_.FromBack();
  std::optional<WorkerId> best;
  model::TaskIndex best_task = 0;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    const Reservation& reserved = pool_.Of({i});
    const auto task = first ? reserved.FirstOfRanges() : reserved.LastOfRanges();
    if (!task) continue;
    if (best && (lowest ? *task >= best_task : *task <= best_task)) continue;
    best = WorkerId{i};
    best_task = *task;
  }
  return best;
}

bool TailAllocator::StealTask(WorkerId thief, Cost limit, Instant now) {
  if (!Stealing()) return false;
  const auto taker = predictor_.PartyOf(thief, now);
  return MoveTask(thief, limit, [&](const FinishIndex::Entry& victim) {
    return goal_.MayHelp(taker, VictimOf(victim.second, victim.first, now));
  });
}

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
    const double mean = predictor_.LeasedCost(victim) / static_cast<double>(tasks);
    const double wanted = share / std::max(mean, 1e-9) + 0.5;
    const auto count = static_cast<std::int64_t>(std::min(wanted, static_cast<double>(waiting)));
    if (count >= 1) return Ask(victim, count, thief);
  }
  return std::nullopt;
}

std::optional<RecallDecision> LeaseRecall::RecallAll(WorkerId worker) {
  const State& state = states_[worker.value];
  const std::int64_t waiting = Waiting(worker);
  if (waiting <= 0 || state.recalled || !predictor_.Usable(worker)) return std::nullopt;
  const std::int64_t tasks = context_.leases.OutstandingTasks(worker);
  if (tasks == state.tasks_at_failed_recall) return std::nullopt;
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
