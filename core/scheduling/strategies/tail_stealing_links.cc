// TailStealing: moves that take time, because tasks have to get from one node to another.
#include <algorithm>
#include <limits>

#include "core/scheduling/predicted_time.h"
#include "core/scheduling/strategies/tail_stealing.h"

namespace evenkeel::scheduling {
namespace {

// What was fetched is leased at once: it never moves a second time by fetching.
constexpr std::int32_t kMaxFetches = std::numeric_limits<std::int32_t>::max();

}  // namespace

void TailStealing::FetchAhead(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  if (!context_.balancing.tail_stealing.stealing || !context_.estimator.RatesKnown()) return;
  const double mean = MeanCost();
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    const WorkerId from{i};
    if (from == worker || At(from).reserved.Empty()) continue;
    const auto rate = context_.places.RateOf(from, worker);
    if (!rate) continue;
    const double link_speed = *rate * mean;
    // Towards the end windows are shorter than a task takes: then it is one at a time.
    const double cost = std::min(CostToFetch(worker, from, link_speed, now),
                                 std::max(CostInWindow(worker, from, link_speed, now), mean));
    if (cost < 1) continue;
    double fetched = 0;
    std::int64_t tasks = 0;
    const auto pieces = At(from).reserved.TakeTail(static_cast<model::Cost>(cost), kMaxFetches);
    for (const auto& piece : pieces) {
      fetched += static_cast<double>(context_.costs.Of(piece.range));
      tasks += piece.range.Size();
      decisions.emplace_back(GrantDecision{worker, piece.range});
    }
    if (tasks == 0) continue;
    Instant& busy = link_busy_[{from, worker}];
    busy = std::max(busy, now) + PredictedTime(fetched / link_speed);
    NoteMove(from, worker, tasks, now);
    ReservationChanged(from);
    return;  // what was decided is leased first, so that the next look sees it
  }
}

Duration TailStealing::LinkBusy(WorkerId worker, WorkerId from, Instant now) const {
  const auto known = link_busy_.find({from, worker});
  if (known == link_busy_.end()) return Duration::zero();
  return std::max(known->second - now, Duration::zero());
}

double TailStealing::CostInWindow(WorkerId worker, WorkerId from, double link_speed,
                                  Instant now) const {
  return link_speed * ToSeconds(Window(worker) - LinkBusy(worker, from, now));
}

double TailStealing::CostToFetch(WorkerId worker, WorkerId from, double link_speed,
                                 Instant now) const {
  const Duration busy = LinkBusy(worker, from, now);
  if (busy > Window(worker) / 2) return 0;
  // Both limits make both finish together: the link brings no more by then, and the worker has
  // other work before.
  const double left = 1 / RateNow(from);  // seconds that a unit takes off there
  const Instant there = Finish(from, now);
  const double by_link = ToSeconds(there - now - busy) / (1 / link_speed + left);
  const double by_speed = ToSeconds(there - Finish(worker, now)) / (1 / RateNow(worker) + left);
  return std::min(by_link, by_speed);
}

}  // namespace evenkeel::scheduling
