#include "operator/status_pacer.h"

#include <algorithm>

namespace evenkeel::controller {
namespace {

/// A caller that waits may ask again this much late: other jobs or a slow API server can delay it.
constexpr Duration kLate = std::chrono::seconds(5);

}  // namespace

Duration StatusPacer::Ask(const kube::ObjectKey& job, bool urgent, Instant now) {
  const std::scoped_lock lock(mutex_);
  DropThoseWhoLeft(now);
  Place& place = PlaceOf(job, urgent);
  const std::int64_t may_write = MayWrite(now);
  // With all writes in hand those whose turn it is have not come: nothing is kept for them.
  const bool unused = may_write > slack_ / interval_;
  if (unused || Ahead(place, now) < may_write) {
    places_.erase(job);
    next_ = std::max(next_, now) + interval_;
    return Duration::zero();
  }
  const Instant turn = std::max(next_ - slack_, now) + Ahead(place, kNever) * interval_;
  place.due = std::max(turn, now + interval_ / 2);
  return place.due - now;
}

void StatusPacer::DropThoseWhoLeft(Instant now) {
  std::erase_if(places_, [now](const auto& one) { return one.second.due + kLate < now; });
}

StatusPacer::Place& StatusPacer::PlaceOf(const kube::ObjectKey& job, bool urgent) {
  const auto [found, is_new] = places_.try_emplace(job);
  Place& place = found->second;
  if (is_new) place.number = ++numbers_;
  place.urgent = place.urgent || urgent;
  return place;
}

/// Others who go before it and whose turn comes until then.
std::int64_t StatusPacer::Ahead(const Place& place, Instant until) const {
  return std::count_if(places_.begin(), places_.end(), [&](const auto& one) {
    const Place& other = one.second;
    if (other.due > until) return false;
    if (other.urgent != place.urgent) return other.urgent;
    return other.number < place.number;
  });
}

/// Writes that may be made at once.
std::int64_t StatusPacer::MayWrite(Instant now) const {
  const Duration in_hand = slack_ - std::max(next_ - now, Duration::zero());
  return in_hand < Duration::zero() ? 0 : in_hand / interval_ + 1;
}

}  // namespace evenkeel::controller
