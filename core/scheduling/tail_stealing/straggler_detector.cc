#include "core/scheduling/tail_stealing/straggler_detector.h"

#include <algorithm>

#include "core/scheduling/predicted_time.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;
using model::IndexRange;

// Victims looked at before a worker stays idle for now.
constexpr int kMaxLooksForCopies = 8;
// A copy has to save at least this part of the most it could save.
constexpr double kCopyMargin = 0.05;
// A task of unknown cost that has run longer than others is expected to run for this part of its
// time again: where a few tasks cost much more than the rest, the longer a task has run the longer
// it goes on. A larger part lets nodes that are hardly faster take the only copy.
constexpr double kTailRunsAgain = 0.65;

// A task of unknown cost that has run for as long as so many mean tasks is a straggler.
constexpr double kStragglerTasks = 2;
// While there is other work, a straggler is expected to run for its time again, and is copied only
// to a worker that is nearly as fast as the fastest, because there is one copy only.
constexpr double kStragglerRunsAgain = 1;
constexpr double kNearlyFastest = 0.8;
// Marked workers looked at in one call, in turn.
constexpr std::size_t kMaxStragglersLookedAt = 16;
// With more workers the fastest rate is kept for a while.
constexpr std::size_t kWorkersForExactFastest = 256;
constexpr Duration kFastestStands = std::chrono::seconds(1);

// The last tasks of the range, of at most `budget` together but at least one: the victim works from
// the front and reaches them last.
IndexRange LastPart(const model::CostModel& costs, IndexRange range, Cost budget) {
  return {std::min(costs.BeginWithin(range, budget), range.end - 1), range.end};
}

}  // namespace

std::optional<CopyDecision> StragglerDetector::SpeculateOnTail(WorkerId idle, Instant now) {
  if (!context_.balancing.tail_stealing.speculation || !context_.idempotent) return std::nullopt;
  int looked_at = 0;
  FinishIndex::FromLatest order(predictor_.ByReady());
  for (FinishIndex::Entry entry; looked_at < kMaxLooksForCopies && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    const IndexRange leased = context_.leases.NewestLeased(victim);
    if (victim == idle || leased.Empty() || entry.first <= goal_.Limit()) continue;
    if (context_.leases.Copied().Overlaps(leased) || just_copied_.Overlaps(leased)) continue;
    double gap = ToSeconds(entry.first - now - context_.estimator.RoundTrip(idle));
    const double rate = context_.estimator.ThreadRate(idle);
    const IndexRange copied =
        LastPart(context_.costs, leased, static_cast<Cost>(std::max(gap * rate * 0.5, 0.0)));
    double cost = static_cast<double>(context_.costs.Of(copied));
    if (!context_.costs.Known() && copied.Size() == 1) {
      // A task costs at least what it has run for already.
      const double running = ToSeconds(now - context_.leases.WorkingSince(victim));
      const double run = running * context_.estimator.ThreadRate(victim);
      if (run > cost) gap = std::max(gap, kTailRunsAgain * running);
      cost = std::max(cost, run);
    }
    if (cost / rate > gap * (1 - kCopyMargin)) continue;
    just_copied_.Insert(copied);
    return CopyDecision{idle, copied};
  }
  return std::nullopt;
}

std::optional<Duration> StragglerDetector::StragglesFor(WorkerId worker, Instant now) const {
  if (context_.places.HasLinks()) return std::nullopt;  // it may wait for transfers
  const auto& leases = context_.leases;
  if (!pool_.Alive(worker) || leases.OutstandingTasks(worker) == 0) return std::nullopt;
  if (!leases.Copies(worker).Empty()) return std::nullopt;  // the original straggles
  const Duration running = now - leases.WorkingSince(worker);
  const double run = ToSeconds(running) * context_.estimator.ThreadRate(worker);
  if (run < kStragglerTasks) return std::nullopt;
  return running;
}

bool StragglerDetector::Mark(WorkerId worker, Instant now) {
  const auto& options = context_.balancing.tail_stealing;
  if (marked_[worker.value] || context_.costs.Known() || !options.stealing) return false;
  if (!options.speculation || !context_.idempotent) return false;
  if (!context_.estimator.Measured(worker) || !StragglesFor(worker, now)) return false;
  marked_[worker.value] = true;
  stragglers_.push_back(worker);
  return true;
}

std::optional<WorkerId> StragglerDetector::LongestStraggler(Instant now) {
  std::optional<WorkerId> longest;
  Duration most{};
  for (std::size_t looks = std::min(stragglers_.size(), kMaxStragglersLookedAt); looks > 0;
       --looks) {
    const WorkerId worker = stragglers_.front();
    stragglers_.pop_front();
    const auto running = StragglesFor(worker, now);
    marked_[worker.value] = running.has_value();
    if (!running) continue;
    stragglers_.push_back(worker);
    const IndexRange task = context_.leases.OldestLeased(worker);
    const bool copied =
        task.Empty() || context_.leases.Copied().Overlaps(task) || just_copied_.Overlaps(task);
    if (copied || *running <= most) continue;
    most = *running;
    longest = worker;
  }
  return longest;
}

double StragglerDetector::FastestThreadRate(Instant now) {
  if (pool_.Workers() > kWorkersForExactFastest && now < fastest_until_) return fastest_;
  fastest_ = 0;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (predictor_.Usable({i})) fastest_ = std::max(fastest_, context_.estimator.ThreadRate({i}));
  }
  fastest_until_ = now + kFastestStands;
  return fastest_;
}

std::optional<CopyDecision> StragglerDetector::SpeculateOnStraggler(WorkerId worker, Instant now) {
  if (stragglers_.empty() || predictor_.PoolTasks() == 0 || predictor_.RateSum() <= 0) {
    return std::nullopt;
  }
  const double rate = context_.estimator.ThreadRate(worker);
  if (!context_.leases.Copies(worker).Empty()) return std::nullopt;
  if (rate < kNearlyFastest * FastestThreadRate(now)) return std::nullopt;
  const auto victim = LongestStraggler(now);
  if (!victim || *victim == worker) return std::nullopt;
  const double seconds = ToSeconds(now - context_.leases.WorkingSince(*victim));
  const double cost = (1 + kStragglerRunsAgain) * seconds * context_.estimator.ThreadRate(*victim);
  const Instant copied = predictor_.Ready(worker, now) + context_.estimator.RoundTrip(worker) +
                         PredictedTime(cost / rate);
  const Instant others = now + predictor_.PoolTime();
  const Instant alone = now + PredictedTime(kStragglerRunsAgain * seconds);
  // The copy has to save the job more time than it costs all workers.
  if (ToSeconds(alone - std::max(copied, others)) <= cost / predictor_.RateSum()) {
    return std::nullopt;
  }
  const IndexRange task = context_.leases.OldestLeased(*victim);
  just_copied_.Insert(task);
  return CopyDecision{worker, task};
}

}  // namespace evenkeel::scheduling
