// World: what happens when.
#include <algorithm>

#include "simulator/world.h"

namespace evenkeel::simulator {

void World::At(Instant at, std::function<void()> happen) {
  if (at == kNever) return;
  Event event;
  event.detail = calls_.Put(std::move(happen));
  At(at, event);
}

void World::At(Instant at, Event event, EventQueue::Lane lane) {
  if (at == kNever) return;
  event.at = std::max(at, now_);
  events_.Put(event, lane);
}

void World::FetchAhead() const {
  const Event& next = events_.Front();
  if (next.kind != Event::Kind::kBatchEnd && next.kind != Event::Kind::kWorkerTimer) return;
  const Process& process = processes_[next.node];
  if (!process.worker) return;
  constexpr std::size_t kLine = 64;
  const char* const memory = reinterpret_cast<const char*>(process.worker.get());
  for (std::size_t at = 0; at < sizeof(engine::Worker); at += kLine) {
    __builtin_prefetch(memory + at);
  }
  __builtin_prefetch(process.threads.data());
  __builtin_prefetch(&config_.nodes[next.node].speed);
}

void World::Dispatch(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kCall:
      return calls_.Take(event.detail)();
    case Event::Kind::kBatchEnd:
      return BatchEnded(event.node, event.thread, event.detail, false);
    case Event::Kind::kWorkerTimer:
      return WorkerTimer(event.node, Instant{Duration{static_cast<std::int64_t>(event.detail)}});
    case Event::Kind::kReport:
      return Arrived(ups_.Take(event.detail));
    case Event::Kind::kDelivery: {
      Down down = downs_.Take(event.detail);
      return Arrived(event.node, down.stream, std::move(down.message));
    }
    case Event::Kind::kCommit:
      return Committed(commits_.Take(event.detail));
  }
}

}  // namespace evenkeel::simulator
