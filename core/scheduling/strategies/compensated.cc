#include "core/scheduling/strategies/compensated.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/scheduling/partition.h"
#include "core/scheduling/predicted_time.h"

namespace evenkeel::scheduling {

using model::Compensation;
namespace {

// Sums of rounded numbers may be so much below a whole task.
constexpr double kRounding = 1e-6;

// k = weight of 1 + (1 - that) * a: how much of it is 1.
double WeightOfAll(CompensationSelection selection, const LoadTransfer& transfer) {
  const double by_target = transfer.link_speed / transfer.target_speed;
  const double by_source = transfer.link_speed / transfer.source_speed;
  switch (selection) {
    case CompensationSelection::kFirst:
      return transfer.link_speed / (transfer.source_speed + transfer.link_speed);
    case CompensationSelection::kSecond: {
      const double squares = by_target * by_target + by_source * by_source;
      return (by_target + squares) / (2 + 2 * by_target + squares);
    }
    case CompensationSelection::kThird:
      break;
  }
  return (2 * by_target * by_target + by_target) / (2 + 2 * by_target + 2 * by_target * by_target);
}

}  // namespace

std::vector<double> ExcessLoads(const std::vector<double>& loads,
                                const std::vector<double>& speeds) {
  const double load = std::accumulate(loads.begin(), loads.end(), 0.0);
  const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<double> excess;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    excess.push_back(loads[i] - speeds[i] / speed * load);
  }
  return excess;
}

std::vector<double> LoadsToSend(const std::vector<double>& excess, std::size_t from) {
  const double room =
      std::accumulate(excess.begin(), excess.end(), 0.0,
                      [](double sum, double each) { return sum + std::min(each, 0.0); });
  std::vector<double> sent(excess.size());
  if (excess[from] <= 0 || room >= 0) return sent;
  for (std::size_t i = 0; i < excess.size(); ++i) {
    if (excess[i] < 0) sent[i] = std::floor(excess[i] / room * excess[from] + kRounding);
  }
  return sent;
}

double CompensatingFactor(CompensationSelection selection, const LoadTransfer& transfer) {
  const double takes = transfer.load / transfer.link_speed;
  if (takes <= transfer.dry_after) return 1;
  const double all = WeightOfAll(selection, transfer);
  return all + (1 - all) * transfer.dry_after / takes;
}

void Compensated::Start(const std::vector<WorkerFacts>& workers, const model::RangeSet& todo,
                        Instant) {
  pool_.AddWorkers(workers.size());
  std::vector<double> weights;
  for (const auto& worker : workers) weights.push_back(worker.ratio);
  pool_.Plan(PartitionByCost(context_.costs, pool_.PlanByHolders(todo), weights));
}

void Compensated::OnTasksAvailable(const TasksAvailable& tasks, Instant) {
  if (tasks.origin == TaskOrigin::kAppended) {
    Append(tasks.range);
  } else {
    Return(tasks.from, tasks.range);
  }
}

void Compensated::Append(model::IndexRange range) {
  if (!pool_.AnyAlive()) return pool_.AddOrphan(range);
  const model::RangeSet appended(range);
  std::vector<model::RangeSet> parts(pool_.Workers());
  const WorkerId first = pool_.Alive(kMaster) ? kMaster : pool_.NextAlive(kMaster);
  parts[first.value] = pool_.PlanByHolders(appended);
  pool_.Plan(parts);
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (!pool_.Of({i}).Empty()) loaded_.insert({i});
  }
}

void Compensated::Return(WorkerId from, model::IndexRange range) {
  if (!pool_.AnyAlive()) return pool_.AddOrphan(range);
  const WorkerId next = pool_.NextAlive(from);
  pool_.Insert(next, {{range, 0}});
  loaded_.insert(next);
}

std::vector<Decision> Compensated::Decide(Instant now) {
  for (auto sender = loaded_.begin(); sender != loaded_.end();) {
    const bool usable = Usable(*sender);
    if (usable) Balance(*sender, now);
    sender = usable ? loaded_.erase(sender) : std::next(sender);
  }
  std::vector<Decision> decisions;
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    if (Usable({i})) GrantAllReserved({i}, pool_, decisions);
  }
  pool_.TakeMoves(decisions);
  return decisions;
}

void Compensated::Balance(WorkerId sender, Instant now) {
  const std::vector<WorkerId> members = Neighbourhood(sender);
  std::vector<double> loads;
  std::vector<double> speeds;
  for (const WorkerId member : members) {
    loads.push_back(LoadOf(member, now));
    speeds.push_back(context_.estimator.Rate(member));
  }
  const auto sent = LoadsToSend(ExcessLoads(loads, speeds), 0);
  for (std::size_t i = 1; i < members.size(); ++i) {
    if (sent[i] <= 0) continue;
    Send(sender, members[i], std::round(Factor(sender, members[i], sent[i], now) * sent[i]), now);
  }
}

std::vector<WorkerId> Compensated::Neighbourhood(WorkerId sender) const {
  std::vector<WorkerId> members{sender};
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    const bool near =
        context_.balancing.compensated.sends_to_all || context_.links.Neighbors(sender, {i});
    if (WorkerId{i} != sender && near && Usable({i})) members.push_back({i});
  }
  return members;
}

double Compensated::LoadOf(WorkerId worker, Instant now) const {
  const auto reserved = static_cast<double>(pool_.Of(worker).CostSum());
  const auto leased = static_cast<double>(context_.leases.OutstandingCost(worker));
  if (leased <= 0 || !context_.estimator.RatesKnown()) return reserved + leased;
  const double since = ToSeconds(now - context_.leases.WorkingSince(worker));
  const double aged = leased - context_.estimator.Rate(worker) * std::max(since, 0.0);
  return reserved + std::max(aged, std::min(LoadUnderWay(worker, now), leased));
}

double Compensated::LoadUnderWay(WorkerId worker, Instant now) const {
  double load = 0;
  const auto known = under_way_.find(worker);
  if (known == under_way_.end()) return load;
  for (const UnderWay& sent : known->second) load += sent.arrives > now ? sent.load : 0;
  return load;
}

double Compensated::DryAfter(WorkerId worker, double until, Instant now) const {
  const double speed = context_.estimator.Rate(worker);
  double load = std::max(LoadOf(worker, now) - LoadUnderWay(worker, now), 0.0);
  double at = 0;
  const auto known = under_way_.find(worker);
  if (known == under_way_.end()) return load / speed;
  for (const UnderWay& sent : known->second) {
    const double arrives = ToSeconds(sent.arrives - now);
    if (arrives <= 0 || arrives >= until) continue;
    load = std::max(load - speed * (arrives - at), 0.0) + sent.load;  // (3-21)
    at = arrives;
  }
  return at + load / speed;
}

std::optional<double> Compensated::LinkSpeed(WorkerId from, WorkerId to) const {
  const double mean = context_.MeanCost();
  if (const auto rate = context_.links.Rate(from, to)) return *rate * mean;
  if (context_.balancing.compensated.transfer_rate > 0)
    return context_.balancing.compensated.transfer_rate * mean;
  return std::nullopt;
}

double Compensated::Factor(WorkerId from, WorkerId to, double load, Instant now) const {
  const auto& options = context_.balancing.compensated;
  if (options.compensation_factor) return *options.compensation_factor;
  const auto link = LinkSpeed(from, to);
  if (!link || *link <= 0 || !context_.estimator.RatesKnown()) return 1;
  const LoadTransfer transfer{load, context_.estimator.Rate(from), context_.estimator.Rate(to),
                              *link, DryAfter(to, load / *link, now)};
  switch (options.compensation) {
    case Compensation::kNone:
      return 1;
    case Compensation::kFirst:
      return CompensatingFactor(CompensationSelection::kFirst, transfer);
    case Compensation::kSecond:
      return CompensatingFactor(CompensationSelection::kSecond, transfer);
    case Compensation::kThird:
      break;
  }
  return CompensatingFactor(CompensationSelection::kThird, transfer);
}

void Compensated::Send(WorkerId from, WorkerId to, double load, Instant now) {
  const auto pieces =
      pool_.TakeTail(from, static_cast<model::Cost>(std::min(load, model::kMostCost)),
                     std::numeric_limits<std::int32_t>::max());
  if (pieces.empty()) return;
  double sent = 0;
  for (const auto& piece : pieces) sent += static_cast<double>(context_.costs.Of(piece.range));
  pool_.RecordMove(from, to, pieces);
  pool_.Insert(to, pieces);
  const auto link = LinkSpeed(from, to);
  if (!link || *link <= 0) return;
  auto& under_way = under_way_[to];
  std::erase_if(under_way, [now](const UnderWay& other) { return other.arrives <= now; });
  under_way.push_back({now + PredictedTime(sent / *link), sent});
  std::sort(under_way.begin(), under_way.end(),
            [](const UnderWay& a, const UnderWay& b) { return a.arrives < b.arrives; });
}

}  // namespace evenkeel::scheduling
