#include "core/scheduling/tail_stealing/finish_predictor.h"

#include <algorithm>

#include "core/scheduling/finish_level.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::scheduling {
namespace {

// With more workers the finish level is kept while it has hardly moved.
constexpr std::size_t kWorkersForExactLevel = 256;

}  // namespace

void FinishPredictor::Update(WorkerId worker, Instant now) {
  Known& known = known_[worker.value];
  const double rate = Usable(worker) ? context_.estimator.Rate(worker) : 0.0;
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
  Reindex(worker, now);
}

void FinishPredictor::Reindex(WorkerId worker, Instant now) {
  const Reservation& reserved = pool_.Of(worker);
  const bool leased = pool_.Alive(worker) && context_.leases.OutstandingTasks(worker) > 0;
  const Instant ready = leased || !reserved.Empty() ? Ready(worker, now) : now;
  ready_.Set(worker, leased ? ready : kNever);
  finish_.Set(worker, reserved.Empty() ? kNever : FinishAfter(worker, ready));
}

double FinishPredictor::Rate(WorkerId worker) const {
  const double rate = context_.estimator.Rate(worker);
  return Usable(worker) ? rate : rate * 0.5;
}

Instant FinishPredictor::Ready(WorkerId worker, Instant now) const {
  const std::int64_t tasks = context_.leases.OutstandingTasks(worker);
  if (tasks == 0) return now;
  const auto busy_threads =
      std::min<std::int64_t>(tasks, static_cast<std::int64_t>(context_.estimator.Threads(worker)));
  const double rate = context_.estimator.ThreadRate(worker) * static_cast<double>(busy_threads);
  const auto cost = static_cast<double>(context_.leases.OutstandingCost(worker));
  const Instant expected = context_.leases.WorkingSince(worker) + PredictedTime(cost / rate);
  if (expected > now) return expected;
  // Overdue: the delay so far is the best estimate of the delay to come.
  const Duration late = now - expected;
  return now +
         std::max({late / 2, PredictedTime(cost / rate) / 8, context_.estimator.RoundTrip(worker)});
}

Instant FinishPredictor::FinishAfter(WorkerId worker, Instant ready) const {
  const auto reserved = static_cast<double>(pool_.Of(worker).CostSum());
  return ready + PredictedTime(reserved / Rate(worker));
}

Duration FinishPredictor::TaskTime(WorkerId worker) const {
  const double mean = pool_tasks_ > 0
                          ? static_cast<double>(pool_cost_) / static_cast<double>(pool_tasks_)
                          : context_.MeanCost();
  return std::max(PredictedTime(mean / context_.estimator.ThreadRate(worker)), Duration{1});
}

Duration FinishPredictor::PoolTime() const {
  if (rate_sum_ <= 0) return Duration::zero();
  return PredictedTime(static_cast<double>(pool_cost_) / rate_sum_);
}

Instant FinishPredictor::Level(Instant now) {
  if (pool_.Workers() > kWorkersForExactLevel && now < level_until_) return level_;
  std::vector<Slot> slots;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!Usable({i})) continue;
    slots.push_back({Ready({i}, now), TaskTime({i}), context_.estimator.Threads({i})});
  }
  level_ = FinishLevel(slots, pool_tasks_);
  level_until_ = now + (level_ - now) / 64;
  return level_;
}

}  // namespace evenkeel::scheduling
