#include "core/scheduling/tail_stealing/link_fetcher.h"

#include <algorithm>
#include <limits>

#include "core/scheduling/predicted_time.h"

namespace evenkeel::scheduling {
namespace {

// Fetched tasks are leased at once and are never fetched again.
constexpr std::int32_t kMaxFetches = std::numeric_limits<std::int32_t>::max();

}  // namespace

void LinkFetcher::FetchAhead(WorkerId worker, Instant now, std::vector<Decision>& decisions) {
  if (!context_.balancing.tail_stealing.stealing || !context_.estimator.RatesKnown()) return;
  const double mean = context_.MeanCost();
  for (std::uint32_t i = 0; i < pool_.Workers(); ++i) {
    const WorkerId from{i};
    if (from == worker || pool_.Of(from).Empty()) continue;
    const auto rate = context_.links.RateOf(from, worker);
    if (!rate) continue;
    const double link_speed = *rate * mean;
    // Towards the end a window is shorter than a task: then one task at a time.
    const double cost = std::min(CostToFetch(worker, from, link_speed, now),
                                 std::max(CostInWindow(worker, from, link_speed, now), mean));
    if (cost < 1) continue;
    double fetched = 0;
    const auto pieces = pool_.TakeTail(from, static_cast<model::Cost>(cost), kMaxFetches);
    for (const auto& piece : pieces) {
      fetched += static_cast<double>(context_.costs.Of(piece.range));
      decisions.emplace_back(GrantDecision{worker, piece.range});
    }
    if (pieces.empty()) continue;
    Instant& busy = link_busy_[{from, worker}];
    busy = std::max(busy, now) + PredictedTime(fetched / link_speed);
    pool_.RecordMove(from, worker, pieces);
    predictor_.UpdateReservation(from, now);
    return;  // the next call sees these tasks leased
  }
}

Duration LinkFetcher::LinkBusy(WorkerId worker, WorkerId from, Instant now) const {
  const auto known = link_busy_.find({from, worker});
  if (known == link_busy_.end()) return Duration::zero();
  return std::max(known->second - now, Duration::zero());
}

double LinkFetcher::CostInWindow(WorkerId worker, WorkerId from, double link_speed,
                                 Instant now) const {
  return link_speed * ToSeconds(window_.Length(worker) - LinkBusy(worker, from, now));
}

double LinkFetcher::CostToFetch(WorkerId worker, WorkerId from, double link_speed,
                                Instant now) const {
  const Duration busy = LinkBusy(worker, from, now);
  if (busy > window_.Length(worker) / 2) return 0;
  // Limits by what the link carries until both finish, and by the other work of the worker.
  const double left = 1 / predictor_.Rate(from);  // seconds saved there by a unit of cost
  const Instant there = predictor_.Finish(from, now);
  const double by_link = ToSeconds(there - now - busy) / (1 / link_speed + left);
  const double by_speed =
      ToSeconds(there - predictor_.Finish(worker, now)) / (1 / predictor_.Rate(worker) + left);
  return std::min(by_link, by_speed);
}

}  // namespace evenkeel::scheduling
