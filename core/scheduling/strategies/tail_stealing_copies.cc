// TailStealing: tasks that are run twice.
#include <algorithm>

#include "core/scheduling/predicted_time.h"
#include "core/scheduling/strategies/tail_stealing.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;
using model::IndexRange;

// Victims looked at before a worker stays idle for now.
constexpr int kMaxLooksForCopies = 8;
// A copy has to win by this part of what it could save at most.
constexpr double kCopyMargin = 0.05;
// A task of unknown cost that has run longer than others do is expected to go on for this part of
// the time it has run: where a few tasks are much dearer than the rest, the longer one has run the
// longer it goes on. A larger part lets nodes that are hardly faster take the only copy.
constexpr double kLongAgain = 0.65;

// A task of unknown cost that has run for as long as so many mean tasks take is a dear one.
constexpr double kDearTasks = 2;
// While there is other work a dear task is expected to go on for as long as it has run, and is
// copied to a worker that is nearly as fast as the fastest, or not at all: there is one copy only.
constexpr double kDearAgain = 1;
constexpr double kNearlyFastest = 0.8;
// Workers at dear tasks that are looked at in one call, in turn.
constexpr std::size_t kMaxStuckLooks = 16;
// With more workers the fastest one is looked for only so often.
constexpr std::size_t kWorkersForExactFastest = 256;
constexpr Duration kFastestStands = std::chrono::seconds(1);

// A range is cut so that it costs at most `budget`; its last tasks are kept, which the victim, who
// works from the front, would reach last. At least one task stays.
IndexRange LastPart(const model::CostModel& costs, IndexRange range, Cost budget) {
  return {std::min(costs.BeginWithin(range, budget), range.end - 1), range.end};
}

}  // namespace

bool TailStealing::CopyLeased(WorkerId idle, Instant now, std::vector<Decision>& decisions) {
  if (!context_.balancing.tail_stealing.speculation || !context_.idempotent) return false;
  int looked_at = 0;
  FinishIndex::FromLatest order(ready_);
  for (FinishIndex::Entry entry; looked_at < kMaxLooksForCopies && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    const IndexRange leased = context_.leases.NewestLeased(victim);
    if (victim == idle || leased.Empty() || entry.first <= goal_->Limit()) continue;
    if (context_.leases.Copied().Overlaps(leased) || just_copied_.Overlaps(leased)) continue;
    double gap = ToSeconds(entry.first - now - context_.round_trip);
    const double rate = context_.estimator.ThreadRate(idle);
    const IndexRange copied =
        LastPart(context_.costs, leased, static_cast<Cost>(std::max(gap * rate * 0.5, 0.0)));
    double cost = static_cast<double>(context_.costs.Of(copied));
    if (!context_.costs.Known() && copied.Size() == 1) {
      // A task that runs for long is a dear one: it costs at least what it has run for already.
      const double running = ToSeconds(now - context_.leases.WorkingSince(victim));
      const double run = running * context_.estimator.ThreadRate(victim);
      if (run > cost) gap = std::max(gap, kLongAgain * running);
      cost = std::max(cost, run);
    }
    if (cost / rate > gap * (1 - kCopyMargin)) continue;
    just_copied_.Insert(copied);
    decisions.emplace_back(CopyDecision{idle, copied});
    return true;
  }
  return false;
}

std::optional<Duration> TailStealing::StuckFor(WorkerId worker, Instant now) const {
  if (context_.places.HasLinks()) return std::nullopt;  // it may wait for what is under way
  const auto& leases = context_.leases;
  if (!At(worker).alive || leases.OutstandingTasks(worker) == 0) return std::nullopt;
  if (!leases.Copies(worker).Empty()) return std::nullopt;  // whose original is the dear one
  const Duration running = now - leases.WorkingSince(worker);
  const double run = ToSeconds(running) * context_.estimator.ThreadRate(worker);
  if (run < kDearTasks) return std::nullopt;
  return running;
}

// What waits behind a dear task may be dear itself: it had better start elsewhere. That alone,
// without the copies, gains nothing.
void TailStealing::NoteIfStuck(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  State& state = states_[worker.value];
  if (state.stuck || context_.costs.Known() || !context_.balancing.tail_stealing.stealing) return;
  if (!context_.balancing.tail_stealing.speculation || !context_.idempotent) return;
  if (!context_.estimator.Measured(worker) || !StuckFor(worker, now)) return;
  state.stuck = true;
  stuck_.push_back(worker);
  const std::int64_t waiting = context_.leases.OutstandingTasks(worker) -
                               static_cast<std::int64_t>(context_.estimator.Threads(worker));
  if (waiting <= 0 || state.recalled || !Usable(worker)) return;
  state.recalled = true;
  state.gave_back = false;
  state.thief.reset();
  decisions.emplace_back(RecallDecision{worker, waiting});
}

std::optional<WorkerId> TailStealing::LongestStuck(Instant now) {
  std::optional<WorkerId> longest;
  Duration most{};
  for (std::size_t looks = std::min(stuck_.size(), kMaxStuckLooks); looks > 0; --looks) {
    const WorkerId worker = stuck_.front();
    stuck_.pop_front();
    const auto running = StuckFor(worker, now);
    states_[worker.value].stuck = running.has_value();
    if (!running) continue;
    stuck_.push_back(worker);
    const IndexRange task = context_.leases.OldestLeased(worker);
    const bool copied =
        task.Empty() || context_.leases.Copied().Overlaps(task) || just_copied_.Overlaps(task);
    if (copied || *running <= most) continue;
    most = *running;
    longest = worker;
  }
  return longest;
}

double TailStealing::FastestThreadRate(Instant now) {
  if (workers_.size() > kWorkersForExactFastest && now < fastest_until_) return fastest_;
  fastest_ = 0;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (Usable({i})) fastest_ = std::max(fastest_, context_.estimator.ThreadRate({i}));
  }
  fastest_until_ = now + kFastestStands;
  return fastest_;
}

bool TailStealing::CopyStuck(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  if (stuck_.empty() || pool_tasks_ == 0 || rate_sum_ <= 0) return false;
  const double rate = context_.estimator.ThreadRate(worker);
  if (!context_.leases.Copies(worker).Empty()) return false;
  if (rate < kNearlyFastest * FastestThreadRate(now)) return false;
  const auto victim = LongestStuck(now);
  if (!victim || *victim == worker) return false;
  const double seconds = ToSeconds(now - context_.leases.WorkingSince(*victim));
  const double cost = (1 + kDearAgain) * seconds * context_.estimator.ThreadRate(*victim);
  const Instant copied = Ready(worker, now) + context_.round_trip + PredictedTime(cost / rate);
  const Instant others = now + PoolTime();
  const Instant alone = now + PredictedTime(kDearAgain * seconds);
  // What all lose by the copy is to be less than what the job wins by it.
  if (ToSeconds(alone - std::max(copied, others)) <= cost / rate_sum_) return false;
  const IndexRange task = context_.leases.OldestLeased(*victim);
  just_copied_.Insert(task);
  decisions.emplace_back(CopyDecision{worker, task});
  return true;
}

}  // namespace evenkeel::scheduling
