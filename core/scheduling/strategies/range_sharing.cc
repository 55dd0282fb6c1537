#include "core/scheduling/strategies/range_sharing.h"

#include <algorithm>
#include <cmath>

namespace evenkeel::scheduling {
namespace {

// A thread gets half of its part unless starting the program takes more than this part of that.
constexpr double kStartupPart = 1.0 / 20;
// Part of its part that a worker gets before anything of it was measured.
constexpr double kFirstPart = 1.0 / 32;
// A run that should have ended takes this part of its time so far longer.
constexpr double kOverrun = 0.1;
// A run that takes so many times as long as expected is copied.
constexpr double kLate = 2;
constexpr int kBisections = 60;

}  // namespace

void RangeSharing::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                         Instant) {
  live_.Add(workers.size());
  for (const WorkerFacts& facts : workers) workers_.push_back({facts.ratio, {}});
  pool_.Insert(todo);
}

void RangeSharing::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  pool_.Insert(tasks.range);
}

void RangeSharing::OnWorkerEvent(const WorkerEvent& event, Instant) {
  live_.Apply(event);
  if (event.change == WorkerChange::kJoined) workers_.push_back({event.facts.ratio, {}});
  // Other decisions of the same call may not be leased yet.
  if (event.change != WorkerChange::kLeased) Prune(event.worker);
}

void RangeSharing::Prune(WorkerId worker) {
  const LeaseView& leases = context_.leases;
  std::erase_if(workers_[worker.value].runs, [&](const Run& run) {
    return !(run.is_copy ? leases.Copies(worker) : leases.Leased(worker)).Overlaps(run.range);
  });
}

std::vector<Decision> RangeSharing::Decide(Instant now) {
  std::vector<Decision> decisions;
  const auto grant = [&](WorkerId worker, std::int64_t tasks) {
    const auto range = pool_.TakeFirstRange(tasks);
    workers_[worker.value].runs.push_back({range, now, false});
    decisions.emplace_back(GrantDecision{worker, range});
  };
  std::optional<WorkerId> soonest;  // of the idle ones
  for (std::uint32_t i = 0; i < live_.Size() && !pool_.Empty(); ++i) {
    const WorkerId worker{i};
    if (!Usable(worker)) continue;
    for (std::int64_t idle = IdleThreads(worker); idle > 0 && !pool_.Empty(); --idle) {
      const std::int64_t tasks = TasksFor(worker, now);
      if (tasks > 0) {
        grant(worker, tasks);
        continue;
      }
      if (!soonest || TimeOf(worker)->Of(1) < TimeOf(*soonest)->Of(1)) soonest = worker;
      break;
    }
  }
  // Each one expects another one to be sooner, which may be suspended or about to be lost.
  if (soonest && NobodyRuns() && !pool_.Empty()) grant(*soonest, bounds_.least_tasks);
  next_decision_ = kNever;
  for (std::uint32_t i = 0; i < live_.Size() && pool_.Empty() && decisions.empty(); ++i) {
    const WorkerId worker{i};
    if (!Usable(worker) || IdleThreads(worker) <= 0) continue;
    if (const auto range = RangeToCopy(worker, now)) {
      workers_[i].runs.push_back({*range, now, true});
      decisions.emplace_back(CopyDecision{worker, *range});
    }
  }
  return decisions;
}

std::int64_t RangeSharing::IdleThreads(WorkerId worker) const {
  const Worker& own = workers_[worker.value];
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  // Retries and suspects, one thread each, are the engine's to lease.
  std::int64_t others = context_.leases.OutstandingTasks(worker);
  for (const Run& run : own.runs) {
    const LeaseView& leases = context_.leases;
    const auto& held = run.is_copy ? leases.Copies(worker) : leases.Leased(worker);
    for (const auto part : held.Within(run.range)) others -= part.Size();
  }
  return threads - static_cast<std::int64_t>(own.runs.size()) - std::max<std::int64_t>(others, 0);
}

std::optional<RangeTime> RangeSharing::TimeOf(WorkerId worker) const {
  const RangeTimes& times = context_.estimator.Ranges();
  if (const auto measured = times.Of(worker)) return measured;
  if (!context_.estimator.RatesKnown()) return std::nullopt;
  const double per_task = 1 / context_.estimator.ThreadRate(worker);
  return RangeTime{times.StartupTasks() * per_task, per_task};
}

double RangeSharing::SecondsToEnd(const Run& run, const RangeTime& time, Instant now) const {
  const double elapsed = ToSeconds(now - run.leased);
  const double left = time.Of(static_cast<double>(run.range.Size())) - elapsed;
  return std::max(left, kOverrun * elapsed);
}

std::vector<RangeSharing::Thread> RangeSharing::Threads(Instant now) const {
  std::vector<Thread> threads;
  for (std::uint32_t i = 0; i < live_.Size(); ++i) {
    const WorkerId worker{i};
    const auto time = TimeOf(worker);
    if (!Usable(worker) || !time) continue;
    const std::vector<Run>& runs = workers_[i].runs;
    for (std::size_t thread = 0; thread < context_.estimator.Threads(worker); ++thread) {
      const double ready = thread < runs.size() ? SecondsToEnd(runs[thread], *time, now) : 0;
      threads.push_back({worker, ready, *time});
    }
  }
  return threads;
}

double RangeSharing::Level(const std::vector<Thread>& threads, double tasks) {
  const auto done_by = [&threads](double level) {
    double done = 0;
    for (const Thread& thread : threads) {
      done += std::max(level - thread.ready - thread.time.startup, 0.0) / thread.time.per_task;
    }
    return done;
  };
  double low = 0;
  double high = 1;
  while (done_by(high) < tasks) high *= 2;
  for (int step = 0; step < kBisections; ++step) {
    const double middle = (low + high) / 2;
    (done_by(middle) < tasks ? low : high) = middle;
  }
  return high;
}

bool RangeSharing::NobodyRuns() const {
  for (std::uint32_t i = 0; i < live_.Size(); ++i) {
    if (Usable({i}) && !workers_[i].runs.empty()) return false;
  }
  return true;
}

std::int64_t RangeSharing::FirstTasksFor(WorkerId worker) const {
  double weights = 0;
  for (std::uint32_t i = 0; i < live_.Size(); ++i) {
    if (live_.Alive({i})) weights += workers_[i].ratio;
  }
  const double threads = context_.estimator.Threads(worker);
  const double part = weights > 0 ? workers_[worker.value].ratio / weights : 1;
  return std::llround(static_cast<double>(pool_.Tasks()) * part / threads * kFirstPart);
}

std::int64_t RangeSharing::TasksFor(WorkerId worker, Instant now) const {
  const auto bounded = [this](double tasks) {
    const std::int64_t most = std::min(bounds_.most_tasks, pool_.Tasks());
    const auto whole =
        static_cast<std::int64_t>(std::llround(std::clamp(tasks, 0.0, static_cast<double>(most))));
    return std::clamp(whole, std::min(std::max<std::int64_t>(bounds_.least_tasks, 1), most), most);
  };
  const auto time = TimeOf(worker);
  if (!time) return bounded(static_cast<double>(FirstTasksFor(worker)));
  const double level = Level(Threads(now), static_cast<double>(pool_.Tasks()));
  const double part = (level - time->startup) / time->per_task;
  if (!context_.estimator.Ranges().Of(worker)) return bounded(part * kFirstPart);
  if (part < 1) return 0;  // the others do all of them sooner
  const double least = time->startup / time->per_task / kStartupPart;
  double tasks = std::max(part / 2, std::min(part, least));
  if (part - tasks < least / 2) tasks = part;
  return bounded(tasks);
}

bool RangeSharing::MayBeCopied(const Run& run) const {
  const LeaseView& leases = context_.leases;
  return !run.is_copy && !leases.Copied().Overlaps(run.range) &&
         !leases.NotToBeCopied().Overlaps(run.range);
}

std::optional<model::IndexRange> RangeSharing::RangeToCopy(WorkerId idle, Instant now) {
  const auto own = TimeOf(idle);
  const bool allowed = context_.idempotent && context_.balancing.tail_stealing.speculation !=
                                                  model::Speculation::kDisabled;
  if (!allowed || !own) return std::nullopt;
  std::optional<model::IndexRange> latest;
  double latest_left = 0;
  for (std::uint32_t i = 0; i < live_.Size(); ++i) {
    const WorkerId worker{i};
    const auto time = TimeOf(worker);
    if (worker == idle || !Usable(worker) || !time) continue;
    for (const Run& run : workers_[i].runs) {
      if (!MayBeCopied(run)) continue;
      const double expected = time->Of(static_cast<double>(run.range.Size()));
      const Instant late = run.leased + FromSeconds(kLate * expected);
      const double left = SecondsToEnd(run, *time, now);
      const bool ends_later = left > own->Of(static_cast<double>(run.range.Size()));
      if (now < late && !ends_later) {
        next_decision_ = std::min(next_decision_, late);
      } else if (!latest || left > latest_left) {
        // Part of it may have its result already.
        latest = context_.leases.Leased(worker).Within(run.range).front();
        latest_left = left;
      }
    }
  }
  return latest;
}

std::optional<Instant> RangeSharing::PredictedEnd(Instant now) const {
  const auto threads = Threads(now);
  if (threads.empty()) return std::nullopt;
  double end = 0;
  for (const Thread& thread : threads) end = std::max(end, thread.ready);
  if (!pool_.Empty()) end = std::max(end, Level(threads, static_cast<double>(pool_.Tasks())));
  return now + FromSeconds(end);
}

}  // namespace evenkeel::scheduling
