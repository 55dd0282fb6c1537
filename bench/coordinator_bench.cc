// Two budgets of the coordinator without transport: the memory of its state and the time of a
// decision. Prints JSON.
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "bench/many_workers.h"

namespace {

using evenkeel::bench::ManyWorkers;

double MebibytesInUse() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd) / (1 << 20);
}

void Call(const std::function<void()>& call) { call(); }

double StateMebibytes() {
  const double before = MebibytesInUse();
  ManyWorkers world(1000, 10'000'000);
  double most = 0;
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999}) {
    world.RunUntil(share, Call);
    most = std::max(most, MebibytesInUse() - before);
  }
  return most;
}

struct DecisionTimes {
  double mean_us;        // of all reports with their decisions
  double move_us;        // of those in which reserved work moved
  double worst_move_us;
  std::int64_t moves;
};

DecisionTimes TimeDecisions() {
  ManyWorkers world(10000, 2'000'000);
  double all = 0;
  double moving = 0;
  double worst = 0;
  std::int64_t calls = 0;
  std::int64_t moves = 0;
  const auto timed = [&](const std::function<void()>& call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const double us =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    ++calls;
    all += us;
    std::int64_t moved = 0;
    for (const auto& event : world.TheCoordinator().TakeEvents()) {
      moved += event.kind == evenkeel::model::TimelineEvent::Kind::kMove ? 1 : 0;
    }
    if (moved == 0) return;
    moves += moved;
    moving += us;
    worst = std::max(worst, us / static_cast<double>(moved));
  };
  world.RunUntil(1.0, timed);
  return {all / static_cast<double>(calls), moving / static_cast<double>(moves), worst, moves};
}

}  // namespace

int main() {
  const double state = StateMebibytes();
  const DecisionTimes times = TimeDecisions();
  std::printf("{\"stateMebibytes\": %.2f, \"decisionMicrosecondsPerMove\": %.2f, "
              "\"worstMoveMicroseconds\": %.1f, \"moves\": %lld, \"microsecondsPerReport\": %.2f}\n",
              state, times.move_us, times.worst_move_us, static_cast<long long>(times.moves),
              times.mean_us);
}
