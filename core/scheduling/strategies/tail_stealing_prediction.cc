// TailStealing: what it predicts, and how leased work is asked back.
#include <algorithm>

#include "core/scheduling/finish_level.h"
#include "core/scheduling/predicted_time.h"
#include "core/scheduling/strategies/tail_stealing.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;

// With more workers the finish level is used again while it has hardly moved.
constexpr std::size_t kWorkersForExactLevel = 256;
// Victims looked at before a worker stays idle for now.
constexpr int kMaxVictimsForeseen = 8;

}  // namespace

double TailStealing::RateNow(WorkerId worker) const {
  return Usable(worker) ? context_.estimator.Rate(worker)
                        : context_.estimator.Rate(worker) * 0.5;  // it may come, or never
}

BalancingGoal::Party TailStealing::PartyOf(WorkerId worker, Instant finish) const {
  return {worker, RateNow(worker), finish};
}

std::vector<double> TailStealing::LivingWeights(double cost) const {
  std::vector<BalancingGoal::Party> living;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].alive) living.push_back({{i}, context_.estimator.Rate({i}), Finish({i}, now_)});
  }
  const auto parts = goal_->Weights(living, cost, now_);
  std::vector<double> weights(workers_.size());
  for (std::size_t i = 0; i < living.size(); ++i) weights[living[i].worker.value] = parts[i];
  return weights;
}

BalancingGoal::Party TailStealing::VictimOf(WorkerId worker, Instant indexed, Instant now) const {
  // Who is compared with a limit, and not just with others, is looked at anew.
  return PartyOf(worker, goal_->LooksAhead() ? Finish(worker, now) : indexed);
}

Duration TailStealing::TaskTime(WorkerId worker) const {
  const double mean = pool_tasks_ > 0
                          ? static_cast<double>(pool_cost_) / static_cast<double>(pool_tasks_)
                          : MeanCost();
  return std::max(PredictedTime(mean / context_.estimator.ThreadRate(worker)), Duration{1});
}

Instant TailStealing::Ready(WorkerId worker, Instant now) const {
  const std::int64_t tasks = context_.leases.OutstandingTasks(worker);
  if (tasks == 0) return now;
  const auto busy_threads =
      std::min<std::int64_t>(tasks, static_cast<std::int64_t>(context_.estimator.Threads(worker)));
  const double rate = context_.estimator.ThreadRate(worker) * static_cast<double>(busy_threads);
  const auto cost = static_cast<double>(context_.leases.OutstandingCost(worker));
  const Instant expected = context_.leases.WorkingSince(worker) + PredictedTime(cost / rate);
  if (expected > now) return expected;
  // Overdue: what is late already tells best how much later it will be.
  const Duration late = now - expected;
  return now + std::max({late / 2, PredictedTime(cost / rate) / 8, context_.round_trip});
}

Instant TailStealing::FinishAfter(WorkerId worker, Instant ready) const {
  const auto reserved = static_cast<double>(At(worker).reserved.CostSum());
  return ready + PredictedTime(reserved / RateNow(worker));
}

std::optional<Instant> TailStealing::PredictedEnd(Instant now) const {
  if (!goal_->LooksAhead()) return std::nullopt;
  Instant latest = now;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    const bool has_work =
        !workers_[i].reserved.Empty() || context_.leases.OutstandingTasks({i}) > 0;
    if (has_work) latest = std::max(latest, Finish({i}, now));
  }
  return latest;
}

Duration TailStealing::PoolTime() const {
  if (rate_sum_ <= 0) return Duration::zero();
  return PredictedTime(static_cast<double>(pool_cost_) / rate_sum_);
}

void TailStealing::Reindex(WorkerId worker, Instant now) {
  const Reservation& reserved = At(worker).reserved;
  const bool leased = At(worker).alive && context_.leases.OutstandingTasks(worker) > 0;
  const Instant ready = leased || !reserved.Empty() ? Ready(worker, now) : now;
  ready_.Set(worker, leased ? ready : kNever);
  finish_.Set(worker, reserved.Empty() ? kNever : FinishAfter(worker, ready));
}

bool TailStealing::LastTasks(WorkerId worker) const {
  constexpr int kRoundTripsPerTask = 20;  // shorter tasks are not worth losing a round trip each
  if (!MovesInNoTime() || !context_.estimator.Measured(worker)) return false;
  const Duration task = TaskTime(worker);
  return task > kRoundTripsPerTask * context_.round_trip && PoolTime() < 2 * task;
}

Instant TailStealing::Level(Instant now) {
  if (workers_.size() > kWorkersForExactLevel && now < level_until_) return level_;
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (!Usable({i})) continue;
    slots.push_back({Ready({i}, now), TaskTime({i}), context_.estimator.Threads({i})});
  }
  level_ = FinishLevel(slots, pool_tasks_);
  level_until_ = now + (level_ - now) / 64;
  return level_;
}

bool TailStealing::NobodyWorks() const { return ready_.Empty(); }

Duration TailStealing::Window(WorkerId) const {
  if (!context_.balancing.tail_stealing.credit) return Duration::zero();
  const Duration full = std::max(3 * context_.report_interval, 20 * context_.round_trip);
  const Duration least = 10 * context_.round_trip;
  return std::clamp(PoolTime() / 4, least, full);
}

std::int64_t TailStealing::LeastAtHand(WorkerId worker) const {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  return context_.balancing.tail_stealing.credit ? 2 * threads : threads;
}

bool TailStealing::RecallLeased(WorkerId thief, Instant now, std::vector<Decision>& decisions) {
  if (!context_.balancing.tail_stealing.stealing) return false;
  int looked_at = 0;
  FinishIndex::FromLatest order(ready_);
  for (FinishIndex::Entry entry; looked_at < kMaxVictimsForeseen && order.Next(entry);
       ++looked_at) {
    const WorkerId victim = entry.second;
    State& state = states_[victim.value];
    if (victim == thief || state.recalled || !Usable(victim)) continue;
    const std::int64_t tasks = context_.leases.OutstandingTasks(victim);
    const std::int64_t waiting =
        tasks - static_cast<std::int64_t>(context_.estimator.Threads(victim));
    if (waiting <= 0 || tasks == state.barren_tasks) continue;
    const double share = goal_->MayTake(PartyOf(thief, now + context_.round_trip),
                                        PartyOf(victim, entry.first), now);
    if (share <= 0) continue;
    const double mean =
        static_cast<double>(context_.leases.OutstandingCost(victim)) / static_cast<double>(tasks);
    const double wanted = share / std::max(mean, 1e-9) + 0.5;
    const auto count = static_cast<std::int64_t>(std::min(wanted, static_cast<double>(waiting)));
    if (count < 1) continue;
    state.recalled = true;
    state.gave_back = false;
    state.thief = thief;
    decisions.emplace_back(RecallDecision{victim, count, thief});
    return true;
  }
  return false;
}

void TailStealing::PlanNextDecision(Instant now) {
  next_decision_ = kNever;
  if (idle_.empty() || (ready_.Empty() && pool_tasks_ == 0)) return;
  const Duration left = ready_.Empty() ? Duration::zero() : ready_.Latest().first - now;
  const Duration shortest = std::chrono::milliseconds(2);
  const Duration longest = std::chrono::seconds(1);
  next_decision_ = now + std::clamp(left / 16, shortest, longest);
}

}  // namespace evenkeel::scheduling
