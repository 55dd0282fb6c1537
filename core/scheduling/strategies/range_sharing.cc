#include "core/scheduling/strategies/range_sharing.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
// The latest progress of a run is what it has done in this time or twice as long, if that is as
// many tasks.
constexpr Duration kProgressInterval = std::chrono::seconds(5);
constexpr double kTasksOfProgress = 4;

}  // namespace

void RangeSharing::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                         Instant) {
  live_.Add(workers.size());
  for (const WorkerFacts& facts : workers) workers_.push_back({facts.ratio});
  pool_.Insert(todo);
}

void RangeSharing::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  pool_.Insert(tasks.range);
  if (tasks.origin == TaskOrigin::kGivenBack) workers_[tasks.from.value].gave_back = true;
}

void RangeSharing::OnWorkerEvent(const WorkerEvent& event, Instant) {
  live_.Apply(event);
  if (event.change == WorkerChange::kJoined) workers_.push_back({event.facts.ratio});
  // Other decisions of the same call may not be leased yet.
  if (event.change != WorkerChange::kLeased) Prune(event.worker);
  if (event.change == WorkerChange::kRecallEnded || event.change == WorkerChange::kLost) {
    EndRecall(event.worker);
  }
}

void RangeSharing::Prune(WorkerId worker) {
  NoteProgress(worker);
  std::erase_if(workers_[worker.value].runs,
                [&](const Run& run) { return !HeldBy(worker, run).Overlaps(run.range); });
}

std::vector<Decision> RangeSharing::Decide(Instant now) {
  std::vector<Decision> decisions;
  std::optional<double> level;  // seconds from now; changes with each grant
  const auto grant = [&](WorkerId worker, std::int64_t tasks) {
    const auto range = pool_.TakeFirstRange(tasks);
    workers_[worker.value].runs.push_back({range, now, false, false, {}, {}});
    decisions.emplace_back(GrantDecision{worker, range});
    level.reset();
  };
  std::optional<WorkerId> soonest;  // of the idle ones
  for (std::uint32_t i = 0; i < live_.Size() && !pool_.Empty(); ++i) {
    const WorkerId worker{i};
    if (!Usable(worker)) continue;
    for (std::int64_t idle = IdleThreads(worker); idle > 0 && !pool_.Empty(); --idle) {
      if (!level && TimeOf(worker)) {
        level = Level(Threads(now), static_cast<double>(pool_.Tasks()));
      }
      const std::int64_t tasks = TasksFor(worker, level);
      if (tasks > 0) {
        grant(worker, tasks);
        continue;
      }
      if (!soonest || TimeOf(worker)->Of(1) < TimeOf(*soonest)->Of(1)) soonest = worker;
      break;
    }
  }
  // Several have less than a task as their part; or each expects a busy thread to be sooner.
  if (soonest && !pool_.Empty() && IsSoonest(*soonest, now)) grant(*soonest, bounds_.least_tasks);
  next_decision_ = kNever;
  for (std::uint32_t i = 0; i < live_.Size() && pool_.Empty() && decisions.empty(); ++i) {
    const WorkerId worker{i};
    if (!Usable(worker) || IdleThreads(worker) <= 0 || AwaitsTasks(worker)) continue;
    if (const auto recall = RecallFor(worker, now)) {
      decisions.emplace_back(*recall);
    } else if (const auto range = RangeToCopy(worker, now)) {
      workers_[i].runs.push_back({*range, now, true, false, {}, {}});
      decisions.emplace_back(CopyDecision{worker, *range});
    }
  }
  return decisions;
}

void RangeSharing::NoteProgress(WorkerId worker) {
  for (Run& run : workers_[worker.value].runs) {
    const auto progress = ProgressOf(worker, run);
    if (!progress) continue;
    runs_can_be_cut_ = true;
    if (progress->noted - run.after.noted < kProgressInterval) continue;
    run.before = run.after;
    run.after = *progress;
  }
}

std::int64_t RangeSharing::IdleThreads(WorkerId worker) const {
  const Worker& own = workers_[worker.value];
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  // Retries and suspects, one thread each, are the engine's to lease.
  std::int64_t others = context_.leases.OutstandingTasks(worker);
  for (const Run& run : own.runs) {
    for (const auto part : HeldBy(worker, run).Within(run.range)) others -= part.Size();
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

std::optional<RunningTask> RangeSharing::ProgressOf(WorkerId worker, const Run& run) const {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  for (const RunningTask& running : context_.leases.Running(worker, threads)) {
    const bool inside = running.index > run.range.begin && running.index < run.range.end;
    if (inside && running.noted > running.since) return running;
  }
  return std::nullopt;
}

double RangeSharing::SecondsPerTask(WorkerId worker, const Run& run, const RangeTime& time) const {
  const auto progress = ProgressOf(worker, run);
  if (!progress) return time.per_task;
  const bool knows_before = run.before.noted > run.leased;
  const auto latest = static_cast<double>(progress->index - run.before.index);
  if (knows_before && latest >= kTasksOfProgress) {
    return ToSeconds(progress->noted - run.before.noted) / latest;
  }
  const double elapsed = ToSeconds(progress->noted - progress->since);
  const auto done = static_cast<double>(progress->index - run.range.begin);
  // Before the times of the program are known, all counts as work.
  const double working = elapsed > time.startup ? elapsed - time.startup : elapsed;
  return working / done;
}

double RangeSharing::SecondsToEnd(WorkerId worker, const Run& run, const RangeTime& time,
                                  Instant now) const {
  const double elapsed = ToSeconds(now - run.leased);
  if (const auto progress = ProgressOf(worker, run)) {
    // It may have been cut.
    model::TaskIndex end = run.range.begin;
    for (const auto part : context_.leases.Leased(worker).Within(run.range)) end = part.end;
    const auto tasks = static_cast<double>(std::max<std::int64_t>(end - progress->index, 0));
    const double left =
        tasks * SecondsPerTask(worker, run, time) - ToSeconds(now - progress->noted);
    return std::max(left, 0.0);
  }
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
      const double ready =
          thread < runs.size() ? SecondsToEnd(worker, runs[thread], *time, now) : 0;
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

bool RangeSharing::IsSoonest(WorkerId idle, Instant now) const {
  const double own_end = TimeOf(idle)->Of(1);
  const auto threads = Threads(now);
  return std::all_of(threads.begin(), threads.end(), [&](const Thread& thread) {
    return thread.ready <= 0 || thread.ready + thread.time.Of(1) > own_end;
  });
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

std::int64_t RangeSharing::TasksFor(WorkerId worker, std::optional<double> level) const {
  const auto bounded = [this](double tasks) {
    const std::int64_t most = std::min(bounds_.most_tasks, pool_.Tasks());
    const auto whole =
        static_cast<std::int64_t>(std::llround(std::clamp(tasks, 0.0, static_cast<double>(most))));
    return std::clamp(whole, std::min(std::max<std::int64_t>(bounds_.least_tasks, 1), most), most);
  };
  const auto time = TimeOf(worker);
  if (!time || !level) return bounded(static_cast<double>(FirstTasksFor(worker)));
  const double part = (*level - time->startup) / time->per_task;
  if (!context_.estimator.Ranges().Of(worker)) return bounded(part * kFirstPart);
  if (part < 1) return 0;  // the others do all of them sooner
  const double least = time->startup / time->per_task / kStartupPart;
  double tasks = std::max(runs_can_be_cut_ ? part : part / 2, std::min(part, least));
  if (part - tasks < least / 2) tasks = part;
  return bounded(tasks);
}

std::optional<RecallDecision> RangeSharing::RecallFor(WorkerId idle, Instant now) {
  const auto own = TimeOf(idle);
  if (!own || !context_.balancing.tail_stealing.stealing) return std::nullopt;
  std::optional<RecallDecision> recall;
  double latest = 0;
  for (std::uint32_t i = 0; i < live_.Size(); ++i) {
    const WorkerId worker{i};
    const auto time = TimeOf(worker);
    if (worker == idle || !Usable(worker) || !time || workers_[i].recalled_for) continue;
    for (const Run& run : workers_[i].runs) {
      if (run.is_copy || run.is_uncuttable || !ProgressOf(worker, run)) continue;
      const double left = SecondsToEnd(worker, run, *time, now);
      const double per_task = SecondsPerTask(worker, run, *time);
      const double round_trips = ToSeconds(context_.estimator.RoundTrip(worker)) +
                                 ToSeconds(context_.estimator.RoundTrip(idle));
      const double moved = (left - own->startup - round_trips) / (per_task + own->per_task);
      if (moved < 1 || left <= latest) continue;
      latest = left;
      recall = RecallDecision{worker, static_cast<std::int64_t>(std::min(moved, 1e9)), idle};
    }
  }
  if (!recall) return std::nullopt;
  workers_[recall->worker.value].recalled_for = idle;
  workers_[recall->worker.value].gave_back = false;
  return recall;
}

bool RangeSharing::AwaitsTasks(WorkerId idle) const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [idle](const Worker& worker) { return worker.recalled_for == idle; });
}

void RangeSharing::EndRecall(WorkerId worker) {
  Worker& own = workers_[worker.value];
  if (!std::exchange(own.recalled_for, std::nullopt) || own.gave_back) return;
  for (Run& run : own.runs) run.is_uncuttable = true;
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
      // Part of it may have its result already.
      const auto open = context_.leases.Leased(worker).Within(run.range);
      if (open.empty() || !MayBeCopied(run)) continue;
      const double expected = time->Of(static_cast<double>(run.range.Size()));
      const Instant late = run.leased + FromSeconds(kLate * expected);
      const double left = SecondsToEnd(worker, run, *time, now);
      const bool ends_later = left > own->Of(static_cast<double>(run.range.Size()));
      if (now < late && !ends_later) {
        next_decision_ = std::min(next_decision_, late);
      } else if (!latest || left > latest_left) {
        latest = open.front();
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
