#include "core/scheduling/strategies/adaptive_iterative.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evenkeel::scheduling {
namespace {

// A clock may not tick within a short task; keeps quotients finite.
constexpr double kClockTickSeconds = 1e-9;

double TimeOf(const IterationTimes& times, UnitTime unit_time) {
  const double seconds = unit_time == UnitTime::kCalculationOnly ? times.t_calc : times.t_exe;
  return std::max(seconds, kClockTickSeconds);
}

std::int64_t ToNearest(double units, std::int64_t most) {
  if (units >= static_cast<double>(most)) return most;
  return static_cast<std::int64_t>(units + 0.5);
}

}  // namespace

std::vector<double> NextUnits(const std::vector<IterationTimes>& times, UnitTime unit_time) {
  double sum = 0;
  for (const IterationTimes& each : times) sum += TimeOf(each, unit_time);
  const double mean = sum / static_cast<double>(std::max<std::size_t>(times.size(), 1));
  std::vector<double> units;
  for (const IterationTimes& each : times) {
    // t_calc_unit + t_comm_unit is t_exe / n_unit.
    const double seconds_a_unit = TimeOf(each, unit_time) / each.n_unit;
    units.push_back(mean / seconds_a_unit);
  }
  return units;
}

double PerformanceFactor(const IterationTimes& times, UnitTime unit_time) {
  return times.n_unit / TimeOf(times, unit_time);
}

std::vector<std::int64_t> ScaledTo(std::int64_t rest, const std::vector<std::int64_t>& units) {
  // Quotients of whole numbers that are whole must not be rounded up.
  constexpr double kRoundingError = 1e-6;
  const std::int64_t sum = std::accumulate(units.begin(), units.end(), std::int64_t{0});
  std::vector<std::int64_t> scaled;
  std::int64_t so_far = 0;
  std::int64_t given = 0;
  for (const std::int64_t each : units) {
    so_far += each;
    const double exact =
        static_cast<double>(rest) * (static_cast<double>(so_far) / static_cast<double>(sum));
    const auto boundary =
        so_far == sum ? rest : static_cast<std::int64_t>(std::ceil(exact - kRoundingError));
    scaled.push_back(boundary - given);
    given = boundary;
  }
  return scaled;
}

AdaptiveIterative::AdaptiveIterative(const StrategyContext& context)
    : context_(context),
      unit_time_(context.balancing.adaptive_iterative.communication ? UnitTime::kWithCommunication
                                                                    : UnitTime::kCalculationOnly) {}

void AdaptiveIterative::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                              Instant) {
  live_.Add(workers.size());
  members_.resize(workers.size());
  pool_.Insert(todo);
  const double parts = static_cast<double>(workers.size()) *
                       static_cast<double>(context_.balancing.adaptive_iterative.rounds);
  first_units_ =
      std::max<std::int64_t>(ToNearest(static_cast<double>(todo.Size()) / parts, todo.Size()), 1);
}

void AdaptiveIterative::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  pool_.Insert(tasks.range);
  if (tasks.origin != TaskOrigin::kAppended) members_[tasks.from.value].disturbed = true;
}

void AdaptiveIterative::OnWorkerEvent(const WorkerEvent& event, Instant now) {
  live_.Apply(event);
  members_.resize(live_.Size());
  switch (event.change) {
    case WorkerChange::kJoined:
    case WorkerChange::kLost:
    case WorkerChange::kReturned:
      members_[event.worker.value] = Member{};
      return;
    case WorkerChange::kUpdated:
    case WorkerChange::kLeased:
      return Measure(event.worker, now);
    case WorkerChange::kRecallEnded:
    case WorkerChange::kHoldsData:
      return;
  }
}

void AdaptiveIterative::Measure(WorkerId worker, Instant now) {
  Member& member = members_[worker.value];
  if (!member.in_round || context_.leases.OutstandingTasks(worker) > 0) return;
  member.in_round = false;
  if (member.disturbed) return;
  const double busy = context_.estimator.CalculatingSeconds(worker) - member.busy_before;
  member.times = IterationTimes{static_cast<double>(member.units), ToSeconds(now - round_start_),
                                busy / static_cast<double>(context_.estimator.Threads(worker))};
}

std::vector<Decision> AdaptiveIterative::Decide(Instant now) {
  std::vector<Decision> decisions;
  if (RoundRuns()) return decisions;
  if (open_) CloseRound(now, decisions);
  if (!pool_.Empty() && Complete()) OpenRound(now, decisions);
  return decisions;
}

void AdaptiveIterative::OpenRound(Instant now, std::vector<Decision>& decisions) {
  const std::vector<WorkerId> participants = Participants();
  if (participants.empty()) return;
  std::vector<std::int64_t> units = UnitsOf(participants);
  const std::int64_t left = pool_.Tasks();
  rest_ = std::accumulate(units.begin(), units.end(), std::int64_t{0}) > left;
  if (rest_) units = ScaledTo(left, units);
  ++round_;
  open_ = true;
  round_start_ = now;
  if (round_ <= kMaxShownRounds) decisions.emplace_back(StageDecision{round_, kMaster, now});
  for (std::size_t n = 0; n < participants.size(); ++n) {
    if (units[n] == 0) continue;
    Member& member = members_[participants[n].value];
    member.in_round = true;
    member.disturbed = false;
    member.units = units[n];
    member.busy_before = context_.estimator.CalculatingSeconds(participants[n]);
    member.times.reset();
    for (const model::IndexRange range : pool_.TakeFirst(units[n])) {
      decisions.emplace_back(GrantDecision{participants[n], range});
    }
  }
}

bool AdaptiveIterative::RoundRuns() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.in_round; });
}

void AdaptiveIterative::CloseRound(Instant now, std::vector<Decision>& decisions) {
  open_ = false;
  if (round_ <= kMaxShownRounds) {
    decisions.emplace_back(StageDecision{round_, kMaster, round_start_, now});
  }
  if (!rest_) Learn();
  for (Member& member : members_) member.times.reset();
}

void AdaptiveIterative::Learn() {
  std::vector<Member*> measured;
  std::vector<IterationTimes> times;
  for (Member& member : members_) {
    if (!member.times) continue;
    measured.push_back(&member);
    times.push_back(*member.times);
  }
  const std::vector<double> next = NextUnits(times, unit_time_);
  for (std::size_t n = 0; n < measured.size(); ++n) {
    measured[n]->next_units = ToNearest(next[n], context_.costs.TaskCount());
    measured[n]->perf_f = PerformanceFactor(times[n], unit_time_);
    measured[n]->dropped = measured[n]->next_units == 0;
  }
}

bool AdaptiveIterative::Complete() const {
  if (round_ > 0) return true;
  for (std::uint32_t i = 0; i < live_.Size(); ++i) {
    if (live_.Alive({i}) && !context_.leases.Connected({i})) return false;
  }
  return true;
}

std::vector<WorkerId> AdaptiveIterative::Participants() {
  std::vector<WorkerId> participants;
  std::vector<WorkerId> dropped;
  for (std::uint32_t i = 0; i < live_.Size(); ++i) {
    if (Usable({i})) (members_[i].dropped ? dropped : participants).push_back({i});
  }
  if (participants.empty()) {
    for (const WorkerId worker : dropped) members_[worker.value] = Member{};
    participants = std::move(dropped);
  }
  std::stable_sort(participants.begin(), participants.end(), [this](WorkerId a, WorkerId b) {
    return members_[a.value].perf_f > members_[b.value].perf_f;
  });
  return participants;
}

std::vector<std::int64_t> AdaptiveIterative::UnitsOf(
    const std::vector<WorkerId>& participants) const {
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const WorkerId worker : participants) {
    const std::int64_t units = members_[worker.value].next_units;
    if (units > 0) fewest = std::min(fewest, units);
  }
  if (fewest == std::numeric_limits<std::int64_t>::max()) fewest = first_units_;
  std::vector<std::int64_t> units;
  for (const WorkerId worker : participants) {
    const std::int64_t known = members_[worker.value].next_units;
    units.push_back(known > 0 ? known : fewest);
  }
  return units;
}

}  // namespace evenkeel::scheduling
