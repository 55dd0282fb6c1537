#include "simulator/virtual_time.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::simulator {
namespace {

// With thousands of nodes the target of the next event is rarely in the cache. It is fetched while
// the current event is handled.
void Prefetch(const EventTarget* target) {
  if (target == nullptr) return;
  constexpr std::size_t kCacheLine = 64;
  constexpr std::size_t kBytes = 1280;
  const char* const memory = reinterpret_cast<const char*>(target);
  for (std::size_t at = 0; at < kBytes; at += kCacheLine) __builtin_prefetch(memory + at);
}

}  // namespace

Instant VirtualTime::After(Duration delay) const {
  return delay >= kNever - now_ ? kNever : now_ + delay;
}

void VirtualTime::At(Instant at, Action action) {
  if (at == kNever) return;
  Event event;
  event.detail = actions_.Put(std::move(action));
  At(at, event);
}

void VirtualTime::At(Instant at, Event event, EventQueue::Lane lane) {
  if (at == kNever) return;
  event.at = std::max(at, now_);
  events_.Put(event, lane);
}

void VirtualTime::Run(Instant limit) {
  limit_ = std::min(limit_, limit);
  while (!events_.Empty() && events_.Front().at <= limit_ && !(stopping_ && limit_ <= now_)) {
    const Event event = events_.Take();
    EVENKEEL_CHECK(event.at >= now_, "time goes backwards");
    now_ = event.at;
    if (!events_.Empty()) Prefetch(events_.Front().target);
    Dispatch(event);
  }
}

void VirtualTime::StopAt(Instant at) {
  stopping_ = true;
  limit_ = std::min(limit_, at);
}

void VirtualTime::Dispatch(const Event& event) {
  if (event.target != nullptr) {
    event.target->OnEvent(event);
  } else {
    actions_.Take(event.detail)();
  }
}

}  // namespace evenkeel::simulator
