#include "core/scheduling/tail_stealing/tail_stealing.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/scheduling/partition.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;

// Up to this many tasks all are kept in order of cost; a node of the set takes about 100 bytes.
constexpr std::int64_t kMaxOrderedTasks = 65536;
// A task is heavy if it is this part of a worker's mean share: worth starting early.
constexpr double kHeavyPart = 0.002;
// Blocks of tasks of unknown cost in which the first shares are dealt.
constexpr std::int64_t kBlocksPerWorker = 64;
constexpr std::int64_t kMostBlocks = 4096;
// Idle workers that are supplied again in one call; the others' turn comes in the next.
constexpr std::size_t kMaxIdleRetries = 16;

template <typename Some>
bool Add(const std::optional<Some>& decision, std::vector<Decision>& decisions) {
  if (decision) decisions.emplace_back(*decision);
  return decision.has_value();
}

/// Tasks that are granted by the decisions from this one on.
std::int64_t GrantedTasks(const std::vector<Decision>& decisions, std::size_t from) {
  std::int64_t tasks = 0;
  for (; from < decisions.size(); ++from) {
    const auto* const grant = std::get_if<GrantDecision>(&decisions[from]);
    if (grant != nullptr) tasks += grant->range.Size();
  }
  return tasks;
}

void AddGrants(WorkerId worker, const ReservedPool::Pieces& pieces,
               std::vector<Decision>& decisions) {
  for (const auto& piece : pieces) decisions.emplace_back(GrantDecision{worker, piece.range});
}

}  // namespace

TailStealing::TailStealing(const StrategyContext& context)
    : costs_(context.costs),
      context_(context.With(costs_)),
      pool_(context_),
      goal_(MakeGoal(context_)),
      medium_(context_, pool_),
      predictor_(context_, pool_, medium_),
      window_(context_, pool_, predictor_),
      allocator_(context_, pool_, predictor_, *goal_),
      stragglers_(context_, pool_, predictor_, *goal_),
      recall_(context_, predictor_, *goal_) {
  pool_.OnChange([this](WorkerId worker) { predictor_.UpdateReservation(worker, now_); });
}

void TailStealing::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                         Instant now) {
  now_ = now;
  ChooseHeavy(todo.Size(), workers.size());
  pool_.AddWorkers(workers.size());
  AddWorkers(workers.size());
  const model::RangeSet anywhere = pool_.PlanByHolders(todo);
  const auto weights = goal_->Begin(workers, context_.costs.Of(todo), now);
  if (context_.costs.Known()) {
    pool_.PlanByCost(anywhere, weights);
  } else {
    const auto blocks = kBlocksPerWorker * static_cast<std::int64_t>(workers.size());
    pool_.Plan(PartitionInTurn(anywhere, weights, std::min(blocks, kMostBlocks)));
  }
}

void TailStealing::AddWorkers(std::size_t count) {
  states_.resize(states_.size() + count);
  medium_.AddWorkers(count);
  predictor_.AddWorkers(count);
  stragglers_.AddWorkers(count);
  recall_.AddWorkers(count);
}

void TailStealing::ChooseHeavy(std::int64_t tasks, std::size_t workers) {
  const double mean_share =
      static_cast<double>(context_.costs.Total()) / static_cast<double>(workers);
  const auto heavy = static_cast<Cost>(mean_share * kHeavyPart) + 1;
  const bool some_heavy = context_.costs.Known() && context_.costs.Longest() >= heavy;
  if (some_heavy) pool_.SetHeavyCost(tasks <= kMaxOrderedTasks ? 0 : heavy);
}

std::vector<double> TailStealing::LivingWeights(double cost) const {
  std::vector<BalancingGoal::Party> living;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!pool_.Alive({i})) continue;
    living.push_back({{i}, context_.estimator.Rate({i}), predictor_.Finish({i}, now_)});
  }
  const auto parts = goal_->Weights(living, cost, now_);
  std::vector<double> weights(pool_.Workers());
  for (std::size_t i = 0; i < living.size(); ++i) weights[living[i].worker.value] = parts[i];
  return weights;
}

void TailStealing::OnTasksAvailable(const TasksAvailable& tasks, Instant now) {
  now_ = now;
  retried_at_ = kNever;
  if (tasks.origin == TaskOrigin::kAppended) {
    Append(tasks.range);
  } else {
    Return(tasks);
  }
}

void TailStealing::Append(model::IndexRange range) {
  tasks_appended_ = true;
  predictor_.ForgetLevel(now_);
  ChooseHeavy(pool_.Tasks() + range.Size(), pool_.Workers());
  const Cost cost = context_.costs.Of(range);
  goal_->Append(cost);
  pool_.Append(range, LivingWeights(static_cast<double>(cost)));
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) Touch({i});
}

void TailStealing::Return(const TasksAvailable& tasks) {
  if (!pool_.AnyAlive()) return pool_.AddOrphan(tasks.range);
  WorkerId to = pool_.Alive(tasks.from) ? tasks.from : pool_.NextAlive(tasks.from);
  if (tasks.origin == TaskOrigin::kGivenBack) {
    recall_.GaveBack(tasks.from);
    const auto thief = recall_.ThiefOf(tasks.from);
    if (thief && pool_.Alive(*thief)) to = *thief;
  }
  pool_.Insert(to, {{tasks.range, 0}});
}

void TailStealing::OnWorkerEvent(const WorkerEvent& event, Instant now) {
  now_ = now;
  if (event.change != WorkerChange::kLeased) retried_at_ = kNever;
  switch (event.change) {
    case WorkerChange::kJoined:
      return Join(event.worker, event.facts);
    case WorkerChange::kLost:
      return Lose(event.worker);
    case WorkerChange::kReturned:
      pool_.Revive(event.worker);
      return Touch(event.worker);
    case WorkerChange::kUpdated:
    case WorkerChange::kLeased:
      return Touch(event.worker);
    case WorkerChange::kRecallEnded:
      return EndRecall(event.worker);
    case WorkerChange::kHoldsData:
      pool_.GatherHeld(event.worker);
      states_[event.worker.value].leases_to_check = true;
      return Touch(event.worker);
  }
}

void TailStealing::Join(WorkerId worker, const WorkerFacts& facts) {
  AddWorkers(1);
  goal_->AddWorker(facts);
  pool_.Join(worker);
  Touch(worker);
}

void TailStealing::Lose(WorkerId worker) {
  const auto pieces = pool_.Lose(worker);
  double cost = 0;
  for (const auto& piece : pieces) cost += static_cast<double>(context_.costs.Of(piece.range));
  pool_.ShareOut(pieces, LivingWeights(cost));
  EndRecall(worker);
  Touch(worker);
}

void TailStealing::EndRecall(WorkerId worker) {
  if (const auto thief = recall_.Ended(worker)) Touch(*thief);
  Touch(worker);
}

void TailStealing::Touch(WorkerId worker) {
  predictor_.Update(worker, now_);
  State& state = states_[worker.value];
  if (!state.queued) to_supply_.push_back(worker);
  state.queued = true;
}

std::vector<Decision> TailStealing::Decide(Instant now) {
  now_ = now;
  goal_->Refresh(now);
  DropUselessCosts(now);
  PutLongestFirst();
  PredictByNewRates(now);
  ShareMedium(now);
  stragglers_.BeginRound();
  std::vector<Decision> decisions;
  CheckOverdue(now, decisions);
  CheckFirstTasks(now);
  RetryIdle(now);
  while (!to_supply_.empty()) {
    const WorkerId worker = to_supply_.front();
    to_supply_.pop_front();
    states_[worker.value].queued = false;
    if (Usable(worker)) Supply(worker, now, decisions);
  }
  MakeRoomForFirstRuns(now, decisions);
  PlanNextDecision(now);
  pool_.TakeMoves(decisions);
  return decisions;
}

void TailStealing::MakeRoomForFirstRuns(Instant now, std::vector<Decision>& decisions) {
  const bool appended = std::exchange(tasks_appended_, false);
  const std::int64_t waiting = predictor_.PoolTasks();
  if (!appended || waiting == 0 || context_.leases.Copied().Empty()) return;
  const std::int64_t most = waiting - predictor_.TasksEndingSoon(now);
  if (most <= 0) return;
  for (const auto& drop : stragglers_.CopiesToDrop(most, now)) decisions.emplace_back(drop);
}

void TailStealing::DropUselessCosts(Instant now) {
  const auto each = context_.estimator.EqualCost();
  if (!each || !costs_.Known()) return;
  costs_.CountEqually(*each);
  pool_.Recount();
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) Touch({i});
  predictor_.ForgetLevel(now);
}

void TailStealing::PutLongestFirst() {
  const bool rising = context_.estimator.Trend() == IndexTrend::Direction::kRising;
  if (!context_.costs.Known() && rising != pool_.FromBack()) pool_.SetFromBack(rising);
}

void TailStealing::PredictByNewRates(Instant now) {
  const std::size_t measured = context_.estimator.MeasuredWorkers();
  if (measured < measured_to_predict_) return;
  measured_to_predict_ = 2 * measured;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) predictor_.Update({i}, now);
}

void TailStealing::ShareMedium(Instant now) {
  const bool changed = medium_.Refresh(now);
  while (!held_.empty() && (changed || held_.top().at <= now)) {
    states_[held_.top().worker.value].held = false;
    Touch(held_.top().worker);
    held_.pop();
  }
  if (!changed) return;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) Touch({i});
  predictor_.ForgetLevel(now);
}

void TailStealing::CheckOverdue(Instant now, std::vector<Decision>& decisions) {
  while (!predictor_.ByReady().Empty() && predictor_.ByReady().Earliest().first <= now) {
    const WorkerId late = predictor_.ByReady().Earliest().second;
    predictor_.Reindex(late, now);
    // Tasks behind a straggler may be as long themselves, and start earlier elsewhere. Without
    // speculative copies that gains nothing.
    if (stragglers_.Mark(late, now)) RecallWaiting(late, decisions);
  }
}

void TailStealing::RecallWaiting(WorkerId worker, std::vector<Decision>& decisions) {
  if (Add(recall_.RecallAll(worker), decisions)) states_[worker.value].called_back = true;
}

void TailStealing::CheckLeases(WorkerId worker, std::vector<Decision>& decisions) {
  const model::RangeSet& held = context_.holders.Of(worker);
  bool missing = false;
  context_.leases.Leased(worker).ForEach(
      [&](model::IndexRange range) { missing = missing || !held.Contains(range); });
  if (missing && pool_.Of(worker).HeldTasks() > 0) RecallWaiting(worker, decisions);
}

void TailStealing::RetryIdle(Instant now) {
  if (retried_at_ == now) return;
  retried_at_ = now;
  // Copies become worth it by time alone, not by what others report.
  const bool only_copies = predictor_.PoolTasks() == 0 && now < next_decision_;
  const std::size_t most = only_copies ? 1 : kMaxIdleRetries;
  for (std::size_t left = std::min(idle_.size(), most); left > 0; --left) {
    const WorkerId worker = idle_.front();
    idle_.pop_front();
    states_[worker.value].idle = false;
    Touch(worker);
  }
}

void TailStealing::WatchFirstTask(WorkerId worker) {
  State& state = states_[worker.value];
  if (state.first_task_watched) return;
  const auto look = window_.NextLookAtFirstTask(worker, now_);
  if (!look) return;
  state.first_task_watched = true;
  first_tasks_.push({*look, worker});
}

void TailStealing::CheckFirstTasks(Instant now) {
  while (!first_tasks_.empty() && first_tasks_.top().at <= now) {
    const WorkerId worker = first_tasks_.top().worker;
    first_tasks_.pop();
    states_[worker.value].first_task_watched = false;
    Touch(worker);
  }
}

void TailStealing::Supply(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  State& state = states_[worker.value];
  if (std::exchange(state.leases_to_check, false)) CheckLeases(worker, decisions);
  if (HasIdleThread(worker)) {
    state.called_back = false;
  } else if (window_.WaitInVain(worker, now)) {
    RecallWaiting(worker, decisions);
  }
  WatchFirstTask(worker);
  if (!WantsMore(worker, now)) return;
  if (const auto until = medium_.HeldUntil(worker, now)) {
    if (!std::exchange(state.held, true)) held_.push({*until, worker});
    return;
  }
  if (const auto ahead = stragglers_.SpeculateAhead(worker, now)) {
    decisions.emplace_back(ahead->copy);
    RecallWaiting(ahead->victim, decisions);
    return;
  }
  const std::size_t before = decisions.size();
  const bool supplied = allocator_.LastTasks(worker) ? GrantLastTasks(worker, now, decisions)
                                                     : GrantWindow(worker, now, decisions);
  if (supplied) medium_.NoteGrant(worker, GrantedTasks(decisions, before), now);
  if (supplied || !HasIdleThread(worker)) return;
  if (HelpOthers(worker, now, decisions)) return;
  if (!state.idle) idle_.push_back(worker);
  state.idle = true;
}

bool TailStealing::WantsMore(WorkerId worker, Instant now) const {
  if (HasIdleThread(worker)) return true;
  if (states_[worker.value].called_back) return false;
  if (stragglers_.RunsStraggler(worker, now)) return false;
  if (allocator_.LastTasks(worker)) return MayFetchLastTask(worker);
  return window_.NeedsRefill(worker, now);
}

bool TailStealing::HasIdleThread(WorkerId worker) const {
  return context_.leases.OutstandingTasks(worker) <
         static_cast<std::int64_t>(context_.estimator.Threads(worker));
}

bool TailStealing::MayFetchLastTask(WorkerId worker) const {
  return context_.data_fetched_ahead &&
         context_.leases.OutstandingTasks(worker) <
             2 * static_cast<std::int64_t>(context_.estimator.Threads(worker));
}

bool TailStealing::GrantWindow(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  const bool dry = pool_.Of(worker).Empty();
  // A worker takes reservations of others when its rate is known or a thread is idle.
  if (dry && !context_.estimator.Measured(worker) && !HasIdleThread(worker)) return false;
  bool stolen = (dry || goal_->LooksAhead()) && allocator_.StealRange(worker, now, !dry);
  if (!dry && allocator_.LargerTaskWaitsElsewhere(worker)) {
    (void)allocator_.StealRange(worker, now, /*ahead=*/false);
  }
  if (dry && !stolen) stolen = allocator_.StealWaiting(worker);
  if (dry && !stolen) return false;
  const std::int64_t least = window_.LeastTasks(worker, now);
  const std::int64_t missing = least - context_.leases.OutstandingTasks(worker);
  // Without a task behind it for each thread, a probe would end in waiting for a message.
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  if (HasIdleThread(worker) && least >= 2 * threads) {
    if (const auto probe = allocator_.TakeProbe(worker, now)) {
      predictor_.UpdateReservation(worker, now);
      AddGrants(worker, {*probe}, decisions);
      return true;
    }
  }
  // The data of several tasks would hold up others on the same medium for as many times as long.
  const bool limited = medium_.Limit(worker).has_value();
  const bool alone = missing > 1 && (limited || window_.SendsOneByOne(worker));
  const auto pieces = pool_.TakeNext(worker, alone ? 0 : window_.Budget(worker, now),
                                     alone ? 1 : std::max<std::int64_t>(missing, 0),
                                     std::numeric_limits<std::int64_t>::max());
  predictor_.UpdateReservation(worker, now);
  AddGrants(worker, pieces, decisions);
  return !pieces.empty();
}

bool TailStealing::GrantLastTasks(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  if (predictor_.PoolTasks() == 0) return false;
  if (!HasIdleThread(worker)) {
    const auto ahead = allocator_.TakeLastTaskAhead(worker, now);
    if (ahead) AddGrants(worker, {*ahead}, decisions);
    return ahead.has_value();
  }
  // Grants of this round are not in the leases yet, but their workers will work.
  const bool nobody_works = predictor_.ByReady().Empty() && decisions.empty();
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  const std::int64_t idle_threads = threads - context_.leases.OutstandingTasks(worker);
  const auto pieces = allocator_.TakeLastTasks(worker, idle_threads, nobody_works, now);
  AddGrants(worker, pieces, decisions);
  return !pieces.empty();
}

bool TailStealing::HelpOthers(WorkerId idle, Instant now, std::vector<Decision>& decisions) {
  if (predictor_.PoolTasks() > 0) return false;
  return Add(recall_.RecallFor(idle, now), decisions) ||
         Add(stragglers_.SpeculateOnTail(idle, now), decisions);
}

std::optional<Instant> TailStealing::PredictedEnd(Instant now) const {
  if (!goal_->LooksAhead()) return std::nullopt;
  Instant latest = now;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    const bool has_work = !pool_.Of({i}).Empty() || context_.leases.OutstandingTasks({i}) > 0;
    if (has_work) latest = std::max(latest, predictor_.Finish({i}, now));
  }
  return latest;
}

void TailStealing::PlanNextDecision(Instant now) {
  next_decision_ = first_tasks_.empty() ? kNever : first_tasks_.top().at;
  if (!held_.empty()) next_decision_ = std::min(next_decision_, held_.top().at);
  const FinishIndex& ready = predictor_.ByReady();
  if (idle_.empty() || (ready.Empty() && predictor_.PoolTasks() == 0)) return;
  const Duration left = ready.Empty() ? Duration::zero() : ready.Latest().first - now;
  const Duration shortest = std::chrono::milliseconds(2);
  const Duration longest = std::chrono::seconds(1);
  next_decision_ = std::min(next_decision_, now + std::clamp(left / 16, shortest, longest));
}

}  // namespace evenkeel::scheduling
