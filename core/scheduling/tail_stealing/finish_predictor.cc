#include "core/scheduling/tail_stealing/finish_predictor.h"

#include <algorithm>

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

// With more workers the finish level is kept while it has hardly moved.
constexpr std::size_t kWorkersForExactLevel = 256;

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
