#include "simulator/virtual_time.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace evenkeel::simulator {

void EventQueue::Put(Event event, Lane lane) {
  event.order = order_++;
  if (lane != Lane::kNone) {
    auto& waiting = lanes_[static_cast<std::size_t>(lane)];
    if (waiting.empty() || waiting.back().at <= event.at) {
      waiting.push_back(event);
      return;
    }
  }
  PutOnHeap(event);
}

bool EventQueue::Empty() const {
  return heap_.empty() && std::all_of(std::begin(lanes_), std::end(lanes_),
                                      [](const auto& lane) { return lane.empty(); });
}

EventQueue::Place EventQueue::Earliest() const {
  Place found{heap_.empty() ? nullptr : &heap_.front(), kLanes};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (lanes_[lane].empty()) continue;
    const Event& first = lanes_[lane].front();
    if (found.event == nullptr || Before(first, *found.event)) found = {&first, lane};
  }
  EVENKEEL_CHECK(found.event != nullptr, "an event of an empty queue");
  return found;
}

Event EventQueue::Take() {
  const Place place = Earliest();
  const Event event = *place.event;
  if (place.lane < kLanes) {
    lanes_[place.lane].pop_front();
  } else {
    TakeFromHeap();
  }
  return event;
}

void EventQueue::PutOnHeap(const Event& event) {
  std::size_t hole = heap_.size();
  heap_.push_back(event);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / kChildren;
    if (!Before(event, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = event;
}

void EventQueue::TakeFromHeap() {
  const Event last = heap_.back();
  heap_.pop_back();
  if (heap_.empty()) return;
  std::size_t hole = 0;
  for (;;) {
    const std::size_t first = hole * kChildren + 1;
    if (first >= heap_.size()) break;
    const std::size_t end = std::min(first + kChildren, heap_.size());
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (Before(heap_[child], heap_[least])) least = child;
    }
    if (!Before(heap_[least], last)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = last;
}

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
