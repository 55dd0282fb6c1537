#include "core/scheduling/techniques/chunk_self_scheduling.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::scheduling {

using model::IndexRange;

ChunkSelfScheduling::ChunkSelfScheduling(const StrategyContext& context,
                                         const TechniqueOptions& options, ChunkRulePtr rule)
    : context_(context),
      options_(options),
      rule_(std::move(rule)),
      loop_(context.costs.TaskCount(), ToSeconds(context.round_trip)) {}

void ChunkSelfScheduling::Start(const std::vector<WorkerFacts>& workers,
                                const model::RangeSet& todo, Instant) {
  states_.resize(workers.size());
  for (const auto& worker : workers) loop_.AddWorker(worker.ratio);
  pool_.Insert(todo);
}

void ChunkSelfScheduling::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  if (tasks.origin == TaskOrigin::kAppended) loop_.AddTasks(tasks.range.Size());
  pool_.Insert(tasks.range);
  AskAllIdle();
}

void ChunkSelfScheduling::OnWorkerEvent(const WorkerEvent& event, Instant) {
  switch (event.change) {
    case WorkerChange::kJoined:
      EVENKEEL_CHECK(event.worker.value == states_.size(),
                     "workers are numbered one after the other");
      loop_.AddWorker(event.facts.ratio);
      states_.emplace_back();
      return Ask(event.worker);
    case WorkerChange::kLost:
      return loop_.SetAlive(event.worker, false);
    case WorkerChange::kReturned:
      loop_.SetAlive(event.worker, true);
      return Ask(event.worker);
    case WorkerChange::kUpdated:
    case WorkerChange::kLeased:
      Observe(event.worker);
      return Ask(event.worker);
    case WorkerChange::kRecallEnded:
    case WorkerChange::kHoldsData:
      return;
  }
}

void ChunkSelfScheduling::Observe(WorkerId worker) {
  State& state = states_[worker.value];
  const std::int64_t tasks = context_.estimator.TasksRun(worker);
  if (tasks <= state.seen_tasks) return;
  const double busy = context_.estimator.BusySeconds(worker);
  loop_.Observe(worker, tasks - state.seen_tasks, busy - state.seen_busy_seconds);
  state.seen_tasks = tasks;
  state.seen_busy_seconds = busy;
}

void ChunkSelfScheduling::Ask(WorkerId worker) {
  State& state = states_[worker.value];
  if (!state.asks) asking_.push_back(worker);
  state.asks = true;
}

void ChunkSelfScheduling::AskAllIdle() {
  for (std::uint32_t i = 0; i < states_.size(); ++i) {
    if (states_[i].idle) Ask({i});
  }
}

std::vector<Decision> ChunkSelfScheduling::Decide(Instant now) {
  just_reissued_.Clear();
  std::vector<Decision> decisions;
  while (!asking_.empty()) {
    const WorkerId worker = asking_.front();
    asking_.pop_front();
    states_[worker.value].asks = false;
    if (loop_.Alive(worker) && context_.leases.Connected(worker)) Serve(worker, now, decisions);
  }
  return decisions;
}

void ChunkSelfScheduling::Serve(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  std::int64_t has = context_.leases.OutstandingTasks(worker);
  states_[worker.value].idle = has < threads && pool_.Empty();
  while (has < threads && !pool_.Empty()) {
    const std::int64_t chunk = NextChunk(worker, now);
    for (const IndexRange range : pool_.TakeFirst(chunk)) {
      decisions.emplace_back(GrantDecision{worker, range});
      has += range.Size();
    }
  }
  if (has == 0 && options_.reissue && context_.idempotent) Reissue(worker, decisions);
}

std::int64_t ChunkSelfScheduling::NextChunk(WorkerId worker, Instant now) {
  CloseChunk(worker, now);
  const std::int64_t remaining = pool_.Tasks();
  const std::int64_t least = std::min(options_.least_chunk_tasks, remaining);
  return std::clamp(rule_->Next(loop_, worker, remaining), least, remaining);
}

// Adaptive rules take the work since the last request of the worker as its last chunk.
void ChunkSelfScheduling::CloseChunk(WorkerId worker, Instant now) {
  State& state = states_[worker.value];
  const std::int64_t tasks = state.seen_tasks - state.chunk_tasks;
  const double busy = state.seen_busy_seconds - state.chunk_busy_seconds;
  if (tasks > 0) {
    const auto threads = static_cast<double>(context_.estimator.Threads(worker));
    loop_.EndChunk(worker, tasks, busy / threads, ToSeconds(now - state.chunk_given));
  }
  state.chunk_tasks = state.seen_tasks;
  state.chunk_busy_seconds = state.seen_busy_seconds;
  state.chunk_given = now;
}

IndexRange ChunkSelfScheduling::FirstToReissue(IndexRange leased) const {
  for (const IndexRange fresh : context_.leases.NotToBeCopied().Missing(leased)) {
    for (const IndexRange once : context_.leases.Copied().Missing(fresh)) {
      const auto open = just_reissued_.Missing(once);
      if (!open.empty()) return open.front();
    }
  }
  return {};
}

void ChunkSelfScheduling::Reissue(WorkerId worker, std::vector<Decision>& decisions) {
  std::int64_t unfinished = 0;
  IndexRange first;
  for (std::uint32_t i = 0; i < states_.size(); ++i) {
    if (i == worker.value) continue;
    context_.leases.Leased({i}).ForEach([&](IndexRange leased) {
      unfinished += leased.Size();
      const IndexRange open = FirstToReissue(leased);
      if (!open.Empty() && (first.Empty() || open.begin < first.begin)) first = open;
    });
  }
  if (first.Empty()) return;
  const std::int64_t chunk = CeilDivide(unfinished, 2 * loop_.Workers());
  const IndexRange again{first.begin, std::min(first.end, first.begin + chunk)};
  just_reissued_.Insert(again);
  decisions.emplace_back(CopyDecision{worker, again});
}

}  // namespace evenkeel::scheduling
