#include "core/scheduling/strategies/tail_stealing.h"

#include <algorithm>

#include "core/scheduling/partition.h"

namespace evenkeel::scheduling {
namespace {

using model::Cost;

// Below this many tasks they may all be kept in order of cost; a set node takes about 100 bytes.
constexpr std::int64_t kMaxOrderedTasks = 65536;
// A task is heavy if it is this part of a worker's mean share: worth starting early.
constexpr double kHeavyPart = 0.002;
// Share of a worker's plan that it gets before anything was measured.
constexpr double kProbePart = 0.001;
// A task that was moved so often stays where it is, until its worker is lost.
constexpr std::int32_t kMaxMoves = 8;
// Idle workers that are looked at again in one call; the others' turn comes in the next.
constexpr std::size_t kMaxIdleLooks = 16;
// Victims looked at for a worker in one call, latest finish first; what is affordable to a thief is
// nearly always found at the first.
constexpr int kMaxVictims = 16;

}  // namespace

TailStealing::TailStealing(const StrategyContext& context)
    : StrategyBase(context), goal_(MakeGoal(context)) {}

void TailStealing::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                         Instant now) {
  now_ = now;
  ChooseHeavy(todo.Size(), workers.size());
  AddWorkers(workers.size());
  states_.resize(workers.size());
  Cost cost = 0;
  todo.ForEach([&](model::IndexRange range) { cost += context_.costs.Of(range); });
  const model::RangeSet anywhere = PlanAtHome(todo);
  Plan(PartitionByCost(context_.costs, anywhere, goal_->Begin(workers, cost, now)));
}

void TailStealing::ChooseHeavy(std::int64_t tasks, std::size_t workers) {
  const double mean_share =
      static_cast<double>(context_.costs.Total()) / static_cast<double>(workers);
  const auto heavy = static_cast<Cost>(mean_share * kHeavyPart) + 1;
  const bool some_heavy = context_.costs.Known() && context_.costs.Longest() >= heavy;
  if (some_heavy) SetHeavyCost(tasks <= kMaxOrderedTasks ? 0 : heavy);
}

void TailStealing::Append(model::IndexRange range, Instant now) {
  now_ = now;
  level_until_ = now;
  ChooseHeavy(PoolSize() + range.Size(), workers_.size());
  const Cost cost = context_.costs.Of(range);
  goal_->Append(cost);
  PlanMore(range, LivingWeights(static_cast<double>(cost)));
  for (std::uint32_t i = 0; i < workers_.size(); ++i) Touch({i}, now);
}

void TailStealing::AddWorker(WorkerId worker, const WorkerFacts& facts, Instant now) {
  now_ = now;
  states_.emplace_back();
  goal_->AddWorker(facts);
  StrategyBase::AddWorker(worker, facts, now);
}

void TailStealing::WorkerLost(WorkerId worker, Instant now) {
  now_ = now;
  At(worker).alive = false;
  const auto pieces = At(worker).reserved.TakeAll();
  ReservationChanged(worker);
  double cost = 0;
  for (const auto& piece : pieces) cost += static_cast<double>(context_.costs.Of(piece.range));
  ShareOut(pieces, LivingWeights(cost));
  RecallEnded(worker, now);
  Touch(worker, now);
}

void TailStealing::WorkerBack(WorkerId worker, Instant now) {
  now_ = now;
  StrategyBase::WorkerBack(worker, now);
  Touch(worker, now);
}

void TailStealing::Return(WorkerId from, model::IndexRange range, ReturnCause cause, Instant now) {
  now_ = now;
  if (!AnyAlive()) {
    ShareOut({{range, 0}}, {});
    return;
  }
  if (cause == ReturnCause::kGivenBack) states_[from.value].gave_back = true;
  WorkerId to = from;
  const auto& thief = states_[from.value].thief;
  if (cause == ReturnCause::kGivenBack && thief && At(*thief).alive) {
    to = *thief;
  } else if (!At(from).alive) {
    to = NextAlive(from);
  }
  At(to).reserved.Insert({range, 0});
  ReservationChanged(to);
}

void TailStealing::RecallEnded(WorkerId worker, Instant now) {
  State& state = states_[worker.value];
  // All it has may be under way already: asking again before that changes is of no use.
  state.barren_tasks = state.gave_back ? -1 : context_.leases.OutstandingTasks(worker);
  state.recalled = false;
  if (state.thief) Touch(*state.thief, now);
  state.thief.reset();
  Touch(worker, now);
}

void TailStealing::Touch(WorkerId worker, Instant now) {
  now_ = now;
  State& state = states_[worker.value];
  const double rate = Usable(worker) ? context_.estimator.Rate(worker) : 0.0;
  rate_sum_ += rate - state.known_rate;
  state.known_rate = rate;
  Reindex(worker, now);
  if (state.dirty) return;
  state.dirty = true;
  dirty_.push_back(worker);
}

void TailStealing::ReservationChanged(WorkerId worker) {
  State& state = states_[worker.value];
  const Reservation& reserved = At(worker).reserved;
  pool_cost_ += reserved.CostSum() - state.known_reserved;
  pool_tasks_ += reserved.Tasks() - state.known_tasks;
  state.known_reserved = reserved.CostSum();
  state.known_tasks = reserved.Tasks();
  Reindex(worker, now_);
}

std::vector<Decision> TailStealing::Decide(Instant now) {
  now_ = now;
  goal_->Refresh(now);
  just_copied_.Clear();
  std::vector<Decision> decisions;
  // Those whose leases should have been through by now are slower than predicted: predict again.
  while (!ready_.Empty() && ready_.Earliest().first <= now) {
    const WorkerId late = ready_.Earliest().second;
    Reindex(late, now);
    NoteIfStuck(late, now, decisions);
  }
  for (std::size_t looks = std::min(idle_.size(), kMaxIdleLooks); looks > 0; --looks) {
    const WorkerId worker = idle_.front();
    idle_.pop_front();
    states_[worker.value].idle = false;
    Touch(worker, now);
  }
  while (!dirty_.empty()) {
    const WorkerId worker = dirty_.front();
    dirty_.pop_front();
    states_[worker.value].dirty = false;
    if (Usable(worker)) Supply(worker, now, decisions);
  }
  PlanNextDecision(now);
  return decisions;
}

void TailStealing::Supply(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  if (context_.places.HasLinks()) FetchAhead(worker, now, decisions);
  if (!WantsMore(worker, now)) return;
  if (CopyStuck(worker, now, decisions)) return;
  const bool supplied = LastTasks(worker) ? GrantLastTasks(worker, now, decisions)
                                          : GrantWindow(worker, now, decisions);
  if (supplied || context_.leases.OutstandingTasks(worker) > 0) return;
  if (pool_tasks_ == 0 && !context_.places.HasLinks()) {
    if (RecallLeased(worker, now, decisions)) return;
    if (CopyLeased(worker, now, decisions)) return;
  }
  State& state = states_[worker.value];
  if (!state.idle) idle_.push_back(worker);
  state.idle = true;
}

bool TailStealing::WantsMore(WorkerId worker, Instant now) const {
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  const std::int64_t outstanding = context_.leases.OutstandingTasks(worker);
  if (outstanding == 0) return true;
  if (states_[worker.value].stuck && StuckFor(worker, now)) return false;
  if (LastTasks(worker)) return outstanding < threads;
  if (outstanding < LeastAtHand(worker)) return true;
  if (!context_.estimator.Measured(worker)) return false;  // the probe is under way
  return Ready(worker, now) - now < Window(worker) / 2;
}

bool TailStealing::GrantWindow(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  const bool dry = At(worker).reserved.Empty();
  const bool stolen = (dry || goal_->LooksAhead()) && StealReserved(worker, now, !dry);
  if (dry && !stolen) return false;
  const std::int64_t outstanding = context_.leases.OutstandingTasks(worker);
  double budget = 0;
  if (context_.estimator.Measured(worker)) {
    const Duration ahead = std::max(Ready(worker, now) - now, Duration::zero());
    budget = ToSeconds(Window(worker) - ahead) * context_.estimator.Rate(worker);
  } else if (context_.balancing.tail_stealing.credit) {
    budget = kProbePart * static_cast<double>(context_.costs.Total()) /
             static_cast<double>(workers_.size());
  }
  constexpr double kMaxBudget = 4e18;
  auto pieces =
      At(worker).reserved.TakeNext(static_cast<Cost>(std::clamp(budget, 0.0, kMaxBudget)),
                                   std::max<std::int64_t>(LeastAtHand(worker) - outstanding, 0),
                                   std::numeric_limits<std::int64_t>::max());
  Grant(worker, pieces, decisions);
  return !pieces.empty();
}

// The last tasks go one by one to those who can end them before the job could end without them.
bool TailStealing::GrantLastTasks(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  if (pool_tasks_ == 0) return false;
  const Instant level = std::max(Level(now), goal_->Limit());
  const double thread_rate = context_.estimator.ThreadRate(worker);
  double limit = ToSeconds(level - now) * thread_rate;
  if (limit < 1 && !context_.costs.Known() && level - now >= TaskTime(worker)) limit = 1;
  // What was decided in this round is not leased yet, but somebody will be working.
  if (NobodyWorks() && decisions.empty()) limit = static_cast<double>(context_.costs.Longest());
  const auto affordable = static_cast<Cost>(limit + 1e-6);
  if (affordable < 1 && !context_.costs.Known()) return false;  // each counts 1
  bool granted = false;
  const auto threads = static_cast<std::int64_t>(context_.estimator.Threads(worker));
  std::int64_t free = threads - context_.leases.OutstandingTasks(worker);
  while (free-- > 0) {
    auto piece = At(worker).reserved.TakeLargest(affordable);
    if (!piece && StealOneFor(worker, affordable, now)) {
      piece = At(worker).reserved.TakeLargest(affordable);
    }
    if (!piece) break;
    Grant(worker, {*piece}, decisions);
    granted = true;
  }
  return granted;
}

bool TailStealing::StealReserved(WorkerId thief, Instant now, bool ahead) {
  if (!MovesInNoTime()) return false;
  int looked_at = 0;
  const auto taker = PartyOf(thief, Finish(thief, now));
  FinishIndex::FromLatest order(finish_);
  for (FinishIndex::Entry entry; looked_at < kMaxVictims && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    if (victim == thief) continue;
    const auto giver = VictimOf(victim, entry.first, now);
    const double share =
        ahead ? goal_->MayTakeAhead(taker, giver, now) : goal_->MayTake(taker, giver, now);
    const double not_worth_it =
        ToSeconds(context_.round_trip) * giver.rate * taker.rate / (giver.rate + taker.rate);
    if (share <= not_worth_it) continue;
    const auto mean = std::max(static_cast<double>(At(victim).reserved.CostSum()) /
                                   static_cast<double>(At(victim).reserved.Tasks()),
                               1e-9);
    // Half a task and more is rounded up: moving it still ends earlier than leaving it.
    const auto budget = static_cast<Cost>(std::max(share, share >= mean / 2 ? mean : 0.0) + 0.5);
    const auto pieces = At(victim).reserved.TakeTail(budget, kMaxMoves);
    if (pieces.empty()) continue;
    MoveReserved(victim, thief, pieces, now);
    return true;
  }
  return false;
}

bool TailStealing::StealOneFor(WorkerId thief, Cost limit, Instant now) {
  if (!MovesInNoTime()) return false;
  int looked_at = 0;
  FinishIndex::FromLatest order(finish_);
  for (FinishIndex::Entry entry; looked_at < kMaxVictims && order.Next(entry); ++looked_at) {
    const WorkerId victim = entry.second;
    if (victim == thief) continue;
    if (!goal_->MayHelp(PartyOf(thief, now), VictimOf(victim, entry.first, now))) continue;
    const auto piece = At(victim).reserved.TakeLargest(limit);
    if (!piece) continue;
    MoveReserved(victim, thief, {*piece}, now);
    return true;
  }
  return false;
}

void TailStealing::MoveReserved(WorkerId victim, WorkerId thief,
                                const std::vector<Reservation::Piece>& pieces, Instant now) {
  std::int64_t tasks = 0;
  for (const auto& piece : pieces) {
    tasks += piece.range.Size();
    At(thief).reserved.Insert({piece.range, piece.moves + 1});
  }
  NoteMove(victim, thief, tasks, now);
  ReservationChanged(victim);
  ReservationChanged(thief);
}

void TailStealing::Grant(WorkerId worker, const std::vector<Reservation::Piece>& pieces,
                         std::vector<Decision>& decisions) {
  for (const auto& piece : pieces) decisions.emplace_back(GrantDecision{worker, piece.range});
  ReservationChanged(worker);
}

}  // namespace evenkeel::scheduling
