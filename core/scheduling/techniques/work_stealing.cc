#include "core/scheduling/techniques/work_stealing.h"

#include <algorithm>
#include <utility>

#include "core/scheduling/partition.h"

namespace evenkeel::scheduling {
namespace {

// A worker that found no victim looks again after so many round trips, then after twice as long
// each time: new reports may show more waiting tasks.
constexpr int kRoundTripsBetweenLooks = 10;
constexpr Duration kLongestPause = std::chrono::seconds(1);

}  // namespace

WorkStealing::WorkStealing(const StrategyContext& context, Victim victim)
    : context_(context),
      pool_(context_),
      victim_(victim),
      rng_(context.seed),
      pause_(kRoundTripsBetweenLooks * context.round_trip) {
  pool_.OnChange([this](WorkerId worker) {
    if (worker.value < states_.size()) Ask(worker);
  });
}

void WorkStealing::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                         Instant) {
  pool_.AddWorkers(workers.size());
  states_.resize(workers.size());
  for (std::uint32_t i = 0; i < states_.size(); ++i) states_[i].last_victim = i;
  pool_.Plan(PartitionEqually(todo, workers.size()));
}

void WorkStealing::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  if (tasks.origin == TaskOrigin::kAppended) {
    pool_.Append(tasks.range, pool_.EqualWeights());
  } else {
    Return(tasks);
  }
}

void WorkStealing::Return(const TasksAvailable& tasks) {
  if (!pool_.AnyAlive()) return pool_.AddOrphan(tasks.range);
  State& state = states_[tasks.from.value];
  WorkerId to = pool_.Alive(tasks.from) ? tasks.from : pool_.NextAlive(tasks.from);
  if (tasks.origin == TaskOrigin::kGivenBack) {
    state.gave = true;
    if (state.thief && pool_.Alive(*state.thief)) to = *state.thief;
  }
  pool_.Insert(to, {{tasks.range, 0}});
  Ask(to);
}

void WorkStealing::OnWorkerEvent(const WorkerEvent& event, Instant) {
  if (event.change == WorkerChange::kJoined) {
    states_.emplace_back();
    states_.back().last_victim = event.worker.value;
  }
  pool_.Apply(event);
  switch (event.change) {
    case WorkerChange::kJoined:
    case WorkerChange::kReturned:
    case WorkerChange::kUpdated:
    case WorkerChange::kLeased:
      return Ask(event.worker);
    case WorkerChange::kLost:
    case WorkerChange::kRecallEnded:
      return EndRecall(event.worker);
    case WorkerChange::kHoldsData:
      return;
  }
}

void WorkStealing::EndRecall(WorkerId worker) {
  State& state = states_[worker.value];
  state.tasks_at_failed_recall = state.gave ? -1 : context_.leases.OutstandingTasks(worker);
  if (!state.thief) return;
  states_[state.thief->value].steals = false;
  Ask(*state.thief);
  state.thief.reset();
}

void WorkStealing::Ask(WorkerId worker) {
  State& state = states_[worker.value];
  if (!state.asks) asking_.push_back(worker);
  state.asks = true;
}

std::vector<Decision> WorkStealing::Decide(Instant now) {
  no_victims_ = false;
  if (now >= next_look_) {
    next_look_ = kNever;
    pause_ = std::min(2 * pause_, kLongestPause);
    for (const WorkerId worker : std::exchange(idle_, {})) Ask(worker);
  }
  std::vector<Decision> decisions;
  while (!asking_.empty()) {
    const WorkerId worker = asking_.front();
    asking_.pop_front();
    states_[worker.value].asks = false;
    if (Usable(worker)) Serve(worker, decisions);
  }
  if (!idle_.empty() && next_look_ == kNever) next_look_ = now + pause_;
  return decisions;
}

void WorkStealing::Serve(WorkerId worker, std::vector<Decision>& decisions) {
  if (!pool_.Of(worker).Empty()) {
    return GrantAllReserved(worker, pool_, decisions);
  }
  if (context_.leases.OutstandingTasks(worker) > 0 || states_[worker.value].steals) return;
  Steal(worker, decisions);
}

void WorkStealing::Steal(WorkerId thief, std::vector<Decision>& decisions) {
  const auto victim = no_victims_ ? std::nullopt : FindVictim(thief);
  if (!victim) {
    no_victims_ = true;
    idle_.push_back(thief);
    return;
  }
  pause_ = kRoundTripsBetweenLooks * context_.round_trip;
  const std::int64_t waiting = Waiting(*victim);
  const std::int64_t part = victim_ == Victim::kNext ? waiting / 4 : (waiting + 1) / 2;
  State& state = states_[victim->value];
  state.thief = thief;
  state.gave = false;
  states_[thief.value].steals = true;
  states_[thief.value].last_victim = victim->value;
  decisions.emplace_back(RecallDecision{*victim, std::max<std::int64_t>(part, 1), thief});
}

std::int64_t WorkStealing::Waiting(WorkerId victim) const {
  const State& state = states_[victim.value];
  const std::int64_t tasks = context_.leases.OutstandingTasks(victim);
  if (state.thief || tasks == state.tasks_at_failed_recall || !Usable(victim)) return 0;
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(victim));
  return std::max<std::int64_t>(tasks - threads, 0);
}

std::optional<WorkerId> WorkStealing::FindVictim(WorkerId thief) {
  const auto count = static_cast<std::uint32_t>(pool_.Workers());
  const std::uint32_t first = victim_ == Victim::kNext
                                  ? states_[thief.value].last_victim
                                  : static_cast<std::uint32_t>(rng_.Below(count));
  for (std::uint32_t step = 0; step < count; ++step) {
    const WorkerId victim{(first + step) % count};
    if (victim != thief && Waiting(victim) > 0) return victim;
  }
  return std::nullopt;
}

}  // namespace evenkeel::scheduling
