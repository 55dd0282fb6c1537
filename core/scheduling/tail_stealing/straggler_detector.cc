#include "core/scheduling/tail_stealing/straggler_detector.h"

#include <algorithm>

#include "core/scheduling/predicted_time.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;
using model::IndexRange;

// Victims looked at before a worker stays idle for now.
constexpr int kMaxLooksForCopies = 256;
// Tasks of one victim looked at for a better copy.
constexpr int kMaxTasksLookedAt = 64;
// Victims looked at while there is other work.
constexpr int kMaxLooksAhead = 8;
// A task that has run for so many times as long as expected is a straggler.
constexpr double kStragglerTasks = 2;
constexpr double kStragglerDeviations = 3;
// While there is other work, a straggler is expected to run for its time again, and is copied only
// to a worker that is nearly as fast as the fastest, because there is one copy only.
constexpr double kStragglerRunsAgain = 1;
constexpr double kNearlyFastest = 0.8;
// A copy waits while all other work takes longer than this part of the time of the copy.
constexpr double kCopyWaits = 0.5;
// Marked workers looked at in one call, in turn.
constexpr std::size_t kMaxStragglersLookedAt = 16;
// With more workers, the fastest rate is kept for a while.
constexpr std::size_t kWorkersForExactFastest = 256;
constexpr Duration kFastestStands = std::chrono::seconds(1);
// A search that finds nothing to copy stands for this part of the time that is left.
constexpr int kNothingToCopyPart = 64;
// With Speculation::kBounded all copies together cost at most this part of the job.
constexpr int kBoundedPart = 10;
// Maximum number of copies of a task that are not expected to save anything. Not counted are copies
// that are late themselves, and those on workers that are slower than the next one by more than
// kOvertakes: it would overtake them.
constexpr std::size_t kMostInsurances = 2;
constexpr double kOvertakes = 2;

// The last tasks of the range, of at most `budget` together but at least one: the victim works from
// the front and reaches them last.
IndexRange LastPart(const model::CostModel& costs, IndexRange range, Cost budget) {
  return {std::min(costs.BeginWithin(range, budget), range.end - 1), range.end};
}

}  // namespace

void StragglerDetector::NothingToCopy::Remember(double rate, Instant now, Duration left) {
  *this = {rate, now + left / kNothingToCopyPart};
}

std::optional<CopyDecision> StragglerDetector::SpeculateOnTail(WorkerId idle, Instant now) {
  if (!MayCopy() || predictor_.ByReady().Empty()) return std::nullopt;
  const double rate = context_.estimator.ThreadRate(idle);
  if (nothing_at_tail_.Holds(rate, now)) return std::nullopt;
  int looked_at = 0;
  Saving most;
  Insurance insurance;
  const bool insure = context_.balancing.tail_stealing.speculation == model::Speculation::kWhenIdle;
  FinishIndex::FromLatest order(predictor_.ByReady());
  for (FinishIndex::Entry entry; looked_at < kMaxLooksForCopies && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    if (victim == idle || entry.first <= goal_.Limit()) continue;
    if (ToSeconds(entry.first - now) * (1 + predictor_.Deviation(victim)) <= most.seconds) break;
    const Victim work = WorkOf(victim, now);
    const Saving saving = SavingByCopy(work, idle, now);
    if (saving.seconds > most.seconds) most = saving;
    if (insure && most.tasks.Empty()) Insure(work, idle, now, insurance);
  }
  if (most.tasks.Empty()) most.tasks = insurance.task;
  if (most.tasks.Empty()) {
    nothing_at_tail_.Remember(rate, now, predictor_.ByReady().Latest().first - now);
    return std::nullopt;
  }
  NoteCopy(most.tasks);
  return CopyDecision{idle, most.tasks};
}

std::vector<DropCopiesDecision> StragglerDetector::CopiesToDrop(std::int64_t most,
                                                                Instant now) const {
  std::vector<DropCopiesDecision> dropped;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    const WorkerId victim{i};
    if (context_.leases.Leased(victim).Empty() || !predictor_.Usable(victim)) continue;
    for (const FinishPredictor::Running& running : predictor_.RunningAt(victim, now)) {
      const IndexRange task = running.task;
      if (!context_.leases.Leased(victim).Contains(task)) continue;  // it is a copy itself
      double earliest = running.residual.mean;
      const double cost = (running.elapsed + running.residual.mean) * running.rate;
      for (const WorkerId holder : context_.leases.CopyHolders(task.begin)) {
        if (!context_.leases.Connected(holder)) continue;  // it may not come back
        const double ends = RunEndsIn(holder, task.begin, cost, now);
        if (ends < earliest) {
          earliest = ends;
          continue;
        }
        dropped.push_back({holder, task});
        if (static_cast<std::int64_t>(dropped.size()) >= most) return dropped;
      }
    }
  }
  return dropped;
}

double StragglerDetector::RunEndsIn(WorkerId holder, model::TaskIndex task, double cost,
                                    Instant now) const {
  double seconds = predictor_.CopyEndsIn(holder, task, cost, now);
  for (const FinishPredictor::Running& running : predictor_.RunningAt(holder, now)) {
    const bool found = running.task.begin == task && !running.task.Empty();
    if (found) seconds = std::max(seconds, running.residual.mean);
  }
  return seconds;
}

StragglerDetector::Victim StragglerDetector::WorkOf(WorkerId worker, Instant now) const {
  Victim work{worker, predictor_.RunningAt(worker, now)};
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  work.some_wait = context_.leases.OutstandingTasks(worker) > threads;
  if (!work.some_wait) return work;
  model::RangeSet besides = just_copied_;
  for (const FinishPredictor::Running& running : work.running) besides.Insert(running.task);
  work.newest_waiting = context_.leases.NewestUncopied(worker, besides);
  return work;
}

void StragglerDetector::Insure(const Victim& victim, WorkerId idle, Instant now,
                               Insurance& best) const {
  const double round_trip = ToSeconds(context_.estimator.DeliveryTime(idle));
  double latest = 0;
  for (const FinishPredictor::Running& running : victim.running) {
    if (!MayCopyFor(running.task, victim.worker, idle)) continue;
    Insurance found;
    found.task = running.task;
    found.copies = CopiesInTime(running.task.begin, idle, now);
    const double cost = predictor_.CostOf(running.task);
    found.lateness =
        running.elapsed * context_.estimator.ThreadRate(victim.worker) / std::max(cost, 1.0);
    found.seconds = running.residual.mean;
    const bool ends_at_once = found.seconds < round_trip && found.lateness < 1;
    latest = std::max(latest, found.lateness);
    // The task on time that has run longest is probably the longest. Declared costs tell more.
    if (context_.costs.Known()) found.lateness = std::max(found.lateness, 1.0);
    if (found.copies >= kMostInsurances || ends_at_once) continue;
    if (found.BetterThan(best)) best = found;
  }
  if (victim.newest_waiting.Empty()) return;
  Insurance waiting;
  waiting.task = LastPart(context_.costs, victim.newest_waiting, 0);
  waiting.lateness = latest;  // that of what it waits for
  if (MayCopyFor(waiting.task, victim.worker, idle) && waiting.BetterThan(best)) best = waiting;
}

std::size_t StragglerDetector::CopiesInTime(model::TaskIndex task, WorkerId idle,
                                            Instant now) const {
  const auto holders = context_.leases.CopyHolders(task);
  const double enough = context_.estimator.ThreadRate(idle) / kOvertakes;
  const double cost = predictor_.CostOf({task, task + 1});
  const auto in_time = std::count_if(holders.begin(), holders.end(), [&](WorkerId holder) {
    const double rate = context_.estimator.ThreadRate(holder);
    const double run = predictor_.CopyRunsFor(holder, task, now) * rate;
    return rate >= enough && run <= cost * (1 + predictor_.Deviation(holder));
  });
  return static_cast<std::size_t>(in_time);
}

bool StragglerDetector::MayCopyFor(IndexRange task, WorkerId victim, WorkerId idle) const {
  const auto& leases = context_.leases;
  if (task.Empty() || !leases.Leased(victim).Contains(task)) return false;
  if (just_copied_.Overlaps(task) || leases.NotToBeCopied().Overlaps(task)) return false;
  if (leases.Leased(idle).Overlaps(task) || leases.Copies(idle).Overlaps(task)) return false;
  return WithinBound(task);
}

bool StragglerDetector::MayCopy() const {
  return context_.idempotent &&
         context_.balancing.tail_stealing.speculation != model::Speculation::kDisabled;
}

bool StragglerDetector::WithinBound(IndexRange tasks) const {
  if (context_.balancing.tail_stealing.speculation != model::Speculation::kBounded) return true;
  if (context_.leases.Copied().Overlaps(tasks)) return false;
  return copied_cost_ == 0 ||
         copied_cost_ + context_.costs.Of(tasks) <= context_.costs.Total() / kBoundedPart;
}

void StragglerDetector::NoteCopy(IndexRange tasks) {
  just_copied_.Insert(tasks);
  copied_cost_ += context_.costs.Of(tasks);
}

StragglerDetector::Saving StragglerDetector::SavingByCopy(const Victim& victim, WorkerId idle,
                                                          Instant now) const {
  Saving most;
  if (!context_.leases.Connected(victim.worker)) {
    most = SavingByCopyOfAway(victim.worker, idle, now);
  } else if (victim.some_wait) {
    most = SavingByCopyOfWaiting(victim, idle, now);
  }
  for (const FinishPredictor::Running& running : victim.running) {
    const IndexRange task = running.task;
    if (!MayCopyFor(task, victim.worker, idle)) continue;
    const double seconds = SecondsSaved(running, idle, now);
    if (seconds > most.seconds) most = {task, seconds};
  }
  return most;
}

double StragglerDetector::SecondsSaved(const FinishPredictor::Running& running, WorkerId idle,
                                       Instant now) const {
  // The case that a copy is for: the task goes on for longer than expected.
  const double residual = running.residual.mean * (1 + running.deviation);
  const double cost = (running.elapsed + residual) * running.rate;
  return SecondsSavedBesideCopies(running.task.begin, cost, residual, idle, now);
}

double StragglerDetector::SecondsSavedBesideCopies(model::TaskIndex task, double cost,
                                                   double seconds, WorkerId idle,
                                                   Instant now) const {
  const double round_trip = ToSeconds(context_.estimator.DeliveryTime(idle));
  for (const WorkerId holder : context_.leases.CopyHolders(task)) {
    const double left = predictor_.CopyEndsIn(holder, task, cost, now);
    seconds = std::min(seconds, std::max(left, round_trip));
  }
  return seconds - round_trip - cost / context_.estimator.ThreadRate(idle);
}

// These tasks could not be recalled, and the worker has not started them.
StragglerDetector::Saving StragglerDetector::SavingByCopyOfWaiting(const Victim& victim,
                                                                   WorkerId idle,
                                                                   Instant now) const {
  const Duration left = predictor_.Ready(victim.worker, now) - now;
  if (victim.newest_waiting.Empty()) return SavingByBetterCopy(victim.worker, idle, left, now);
  const double rate = context_.estimator.ThreadRate(idle);
  const double gap = ToSeconds(left - context_.estimator.DeliveryTime(idle));
  const auto budget = static_cast<Cost>(std::max(gap * rate * 0.5, 0.0));
  const IndexRange copied = LastPart(context_.costs, victim.newest_waiting, budget);
  if (!WithinBound(copied)) return {};
  return {copied, gap - predictor_.CostOf(copied) / rate};
}

StragglerDetector::Saving StragglerDetector::SavingByCopyOfAway(WorkerId victim, WorkerId idle,
                                                                Instant now) const {
  const auto& leases = context_.leases;
  IndexRange last;
  std::int64_t left = 0;  // tasks without a copy
  leases.Leased(victim).ForEach([&](IndexRange range) {
    for (const IndexRange open : leases.Copied().Missing(range)) {
      for (const IndexRange part : just_copied_.Missing(open)) {
        if (leases.NotToBeCopied().Overlaps(part) || leases.Copies(idle).Overlaps(part)) continue;
        last = part;
        left += part.Size();
      }
    }
  });
  // A worker without a connection comes back after so long, if at all.
  const Duration away = model::ReconnectTimeout(context_.balancing.lease);
  const Duration alone = std::max(predictor_.Ready(victim, now) - now, away);
  if (last.Empty()) return SavingByBetterCopy(victim, idle, alone, now);
  const auto shares = static_cast<std::int64_t>(std::max<std::size_t>(pool_.Workers(), 1));
  const IndexRange copied{std::max(last.begin, last.end - (left / shares + 1)), last.end};
  if (!WithinBound(copied)) return {};
  const double gap = ToSeconds(alone - context_.estimator.DeliveryTime(idle));
  const double own = predictor_.CostOf(copied) / context_.estimator.ThreadRate(idle);
  return {copied, gap - own};
}

// All that waits has copies, perhaps on slow workers.
StragglerDetector::Saving StragglerDetector::SavingByBetterCopy(WorkerId victim, WorkerId idle,
                                                                Duration alone, Instant now) const {
  Saving most;
  int looked_at = 0;
  context_.leases.Leased(victim).ForEach([&](IndexRange range) {
    for (auto index = range.begin; index < range.end && looked_at < kMaxTasksLookedAt; ++index) {
      ++looked_at;
      const IndexRange task{index, index + 1};
      if (!context_.leases.Copied().Overlaps(task) || !MayCopyFor(task, victim, idle)) continue;
      const double cost = predictor_.CostOf(task);
      const double seconds = SecondsSavedBesideCopies(index, cost, ToSeconds(alone), idle, now);
      if (seconds > most.seconds) most = {task, seconds};
    }
  });
  return most;
}

std::optional<Duration> StragglerDetector::StragglesFor(WorkerId worker, Instant now) const {
  const auto& leases = context_.leases;
  if (!pool_.Alive(worker) || leases.OutstandingTasks(worker) == 0) return std::nullopt;
  if (!leases.Copies(worker).Empty()) return std::nullopt;  // the original straggles
  const Duration running = now - leases.WorkingSince(worker);
  const IndexRange task = leases.OldestLeased(worker);
  const double cost = task.Empty() ? 1 : predictor_.CostOf(task);
  const double run = ToSeconds(running) * context_.estimator.ThreadRate(worker);
  // A task of declared cost may take longer by the usual error of such costs.
  const double expected =
      context_.costs.Known() ? 1 + kStragglerDeviations * predictor_.Deviation(worker) : 1;
  if (run < cost * std::max(kStragglerTasks, expected)) return std::nullopt;
  return running;
}

bool StragglerDetector::Mark(WorkerId worker, Instant now) {
  const auto& options = context_.balancing.tail_stealing;
  if (marked_[worker.value] || !options.stealing) return false;
  if (!MayCopy()) return false;
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

std::optional<StragglerDetector::CopyAhead> StragglerDetector::SpeculateAhead(WorkerId worker,
                                                                              Instant now) {
  if (!MayCopy() || predictor_.PoolTasks() == 0 || predictor_.RateSum() <= 0) return std::nullopt;
  if (!context_.leases.Copies(worker).Empty()) return std::nullopt;
  const bool misplaced = !predictor_.ByReady().Empty() &&
                         predictor_.ByReady().Latest().first > now + predictor_.PoolTime();
  if (stragglers_.empty() && !misplaced) return std::nullopt;
  const double rate = context_.estimator.ThreadRate(worker);
  if (nothing_ahead_.Holds(rate, now)) return std::nullopt;
  if (rate < kNearlyFastest * FastestThreadRate(now)) return std::nullopt;
  auto copy = SpeculateOnStraggler(worker, now);
  if (!copy && misplaced) copy = SpeculateOnMisplaced(worker, now);
  if (!copy) nothing_ahead_.Remember(rate, now, predictor_.PoolTime());
  return copy;
}

std::optional<StragglerDetector::CopyAhead> StragglerDetector::SpeculateOnMisplaced(WorkerId worker,
                                                                                    Instant now) {
  if (!context_.estimator.AnyMeasured()) return std::nullopt;
  const double rate = context_.estimator.ThreadRate(worker);
  const double delivery = ToSeconds(context_.estimator.DeliveryTime(worker));
  const double others = ToSeconds(predictor_.PoolTime());
  int looked_at = 0;
  FinishIndex::FromLatest order(predictor_.ByReady());
  for (FinishIndex::Entry entry; looked_at < kMaxLooksAhead && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    if (ToSeconds(entry.first - now) <= others) break;
    if (victim == worker) continue;
    for (const FinishPredictor::Running& running : predictor_.RunningAt(victim, now)) {
      if (!MayCopyFor(running.task, victim, worker)) continue;
      if (context_.leases.Copied().Overlaps(running.task)) continue;
      const double cost = (running.elapsed + running.residual.mean) * running.rate;
      const double own = cost / rate;
      // As long as other work takes long, the task may still end before a copy of it has to start.
      // Not if even a time that is shorter than expected by a standard deviation outlasts the copy.
      const bool outlasts = running.residual.mean >= (1 + running.deviation) * (others + own);
      if (others > kCopyWaits * own && !outlasts) continue;
      const double from = std::max(delivery + own, others);
      const double saved = running.residual.MeanWithin(from, others + own);
      if (cost < predictor_.LargestCost()) continue;
      if (saved <= CostOfCopies(entry.first, saved, cost / predictor_.RateSum())) continue;
      NoteCopy(running.task);
      return CopyAhead{{worker, running.task}, victim};
    }
  }
  return std::nullopt;
}

double StragglerDetector::CostOfCopies(Instant latest, double saved, double seconds_each) const {
  double seconds = 0;
  int looked_at = 0;
  FinishIndex::FromLatest order(predictor_.ByReady());
  for (FinishIndex::Entry entry; looked_at < kMaxLooksForCopies && order.Next(entry); ++looked_at) {
    const double earlier = ToSeconds(latest - entry.first);
    const bool worth_it_so_far = seconds > 0 && earlier > seconds;
    if (worth_it_so_far || earlier >= saved || seconds >= saved) break;
    const IndexRange task = context_.leases.OldestLeased(entry.second);
    if (!task.Empty() && !context_.leases.Copied().Overlaps(task)) seconds += seconds_each;
  }
  return seconds;
}

std::optional<StragglerDetector::CopyAhead> StragglerDetector::SpeculateOnStraggler(WorkerId worker,
                                                                                    Instant now) {
  const double rate = context_.estimator.ThreadRate(worker);
  const auto victim = LongestStraggler(now);
  if (!victim || *victim == worker) return std::nullopt;
  const double seconds = ToSeconds(now - context_.leases.WorkingSince(*victim));
  const IndexRange task = context_.leases.OldestLeased(*victim);
  const double cost = context_.costs.Known() ? static_cast<double>(context_.costs.Of(task))
                                             : (1 + kStragglerRunsAgain) * seconds *
                                                   context_.estimator.ThreadRate(*victim);
  const Instant copied = predictor_.Ready(worker, now) + context_.estimator.DeliveryTime(worker) +
                         PredictedTime(cost / rate);
  const Instant others = now + predictor_.PoolTime();
  const Instant alone = now + PredictedTime(kStragglerRunsAgain * seconds);
  // The copy has to save the job more time than it costs all workers.
  if (ToSeconds(alone - std::max(copied, others)) <= cost / predictor_.RateSum()) {
    return std::nullopt;
  }
  if (!WithinBound(task)) return std::nullopt;
  NoteCopy(task);
  return CopyAhead{{worker, task}, *victim};
}

}  // namespace evenkeel::scheduling
