// Measures the coordinator without transport: the memory of its state and the CPU time of a
// decision. Prints JSON. With numbers of workers as arguments: the time of a decision for each.
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/many_workers.h"

namespace {

using evenkeel::bench::ManyWorkers;

double MebibytesInUse() {
  const auto heap = mallinfo2();
  return static_cast<double>(heap.uordblks + heap.hblkhd) / (1 << 20);
}

// CPU time instead of wall time, so that other load on the machine does not count.
double ThreadMicroseconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e6 + static_cast<double>(used.tv_nsec) * 1e-3;
}

void Call(const std::function<void()>& call) { call(); }

double StateMebibytes() {
  const double before = MebibytesInUse();
  ManyWorkers world(1000, 10'000'000);
  double most = 0;
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999}) {
    world.RunUntil(share, Call);
    static_cast<void>(world.TheCoordinator().TakeEvents());  // the process would journal them
    most = std::max(most, MebibytesInUse() - before);
  }
  return most;
}

struct DecisionTimes {
  double report_us = 0;      // mean over all calls; a call counts a report and grants work
  double move_us = 0;        // CPU time of calls that moved reserved work, per move
  double worst_call_us = 0;  // a call may make many moves
  std::int64_t calls = 0;
  std::int64_t moves = 0;
};

DecisionTimes TimeDecisions(std::uint32_t workers) {
  constexpr std::int64_t kTasksOfEach = 200;
  ManyWorkers world(workers, workers * kTasksOfEach);
  DecisionTimes times;
  double all = 0;
  double moving = 0;
  const auto timed = [&](const std::function<void()>& call) {
    const double begin = ThreadMicroseconds();
    call();
    const double us = ThreadMicroseconds() - begin;
    ++times.calls;
    all += us;
    times.worst_call_us = std::max(times.worst_call_us, us);
    const auto events = world.TheCoordinator().TakeEvents();
    const auto moved = std::count_if(events.begin(), events.end(), [](const auto& event) {
      return event.kind == evenkeel::model::TimelineEvent::Kind::kMove;
    });
    if (moved == 0) return;
    times.moves += moved;
    moving += us;
  };
  world.RunUntil(1.0, timed);
  times.report_us = all / static_cast<double>(std::max<std::int64_t>(times.calls, 1));
  times.move_us = moving / static_cast<double>(std::max<std::int64_t>(times.moves, 1));
  return times;
}

void Print(const DecisionTimes& times) {
  std::printf(
      "\"microsecondsPerMove\": %.2f, \"microsecondsPerReport\": %.2f, "
      "\"worstCallMicroseconds\": %.1f, \"moves\": %lld, \"reports\": %lld}",
      times.move_us, times.report_us, times.worst_call_us, static_cast<long long>(times.moves),
      static_cast<long long>(times.calls));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    for (int i = 1; i < argc; ++i) {
      const auto workers = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
      std::printf("%s{\"workers\": %u, ", i == 1 ? "[" : ",\n ", workers);
      Print(TimeDecisions(workers));
    }
    std::printf("]\n");
    return 0;
  }
  std::printf("{\"stateMebibytes\": %.2f, ", StateMebibytes());
  std::fflush(stdout);
  Print(TimeDecisions(10'000));
  std::printf("\n");
}
