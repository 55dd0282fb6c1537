// Measures the coordinator without transport: the memory of its state and the CPU time of a
// decision. Prints JSON. With numbers of workers as arguments: the time of a decision for each.
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/coordinator.h"

namespace evenkeel::bench {
namespace {

constexpr double kTaskSeconds = 0.05;  // at speed 1

bool Later(const auto& a, const auto& b) { return a.at > b.at; }

/// Drives a coordinator with many workers of unequal speeds, without transport or threads. Every
/// grant is answered by a report at its virtual time.
class ManyWorkers {
 public:
  /// Speeds are 1, 2, ... 8 in turn. The declared weights are reversed, so that work moves.
  ManyWorkers(std::uint32_t workers, std::int64_t tasks);

  /// Runs the virtual job until this fraction of its tasks is complete. Calls the state machine
  /// through `timed`.
  void RunUntil(double done_share, const std::function<void(const std::function<void()>&)>& timed);
  [[nodiscard]] engine::Coordinator& coordinator() { return *coordinator_; }
  [[nodiscard]] std::int64_t Decisions() const { return decisions_; }

 private:
  struct Due {
    Instant at;
    std::uint32_t worker;
    model::IndexRange range;
    Duration busy;
  };
  [[nodiscard]] double Speed(std::uint32_t worker) const { return 1.0 + worker % 8; }
  void Execute(engine::Effects effects);
  void Assign(std::uint32_t worker, const engine::Assign& assign);

  std::uint32_t workers_;
  std::int64_t tasks_;
  std::unique_ptr<engine::Coordinator> coordinator_;
  Instant now_{};
  std::vector<Due> heap_;         // by time, earliest on top
  std::vector<Instant> free_at_;  // of each worker
  std::deque<std::pair<std::uint32_t, engine::Recall>> recalls_;
  engine::BatchId durable_{};
  std::int64_t done_ = 0;
  std::int64_t decisions_ = 0;
};

ManyWorkers::ManyWorkers(std::uint32_t workers, std::int64_t tasks)
    : workers_(workers), tasks_(tasks), free_at_(workers) {
  engine::CoordinatorConfig config;
  config.job.name = config.job.workload = "bench";
  config.job.max_workers = static_cast<std::int32_t>(workers);
  config.job.balancing.lease = std::chrono::hours(10000);
  config.costs = std::make_shared<model::UnitCosts>(tasks);
  for (std::uint32_t i = 0; i < workers; ++i) {
    config.nodes.push_back({"node-" + std::to_string(i), 9.0 - Speed(i)});
  }
  coordinator_ = std::make_unique<engine::Coordinator>(std::move(config));
  Execute(coordinator_->Start(now_));
  for (std::uint32_t i = 0; i < workers; ++i) {
    engine::Hello hello;
    hello.node = "node-" + std::to_string(i);
    hello.incarnation = hello.node;
    hello.workload = "bench";
    Execute(coordinator_->OnMessage({i + 1}, hello, now_));
  }
}

void ManyWorkers::RunUntil(double done_share,
                           const std::function<void(const std::function<void()>&)>& timed) {
  const auto enough = static_cast<std::int64_t>(done_share * static_cast<double>(tasks_));
  while (done_ < enough && !coordinator_->Ended() && !heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(),
                  [](const Due& a, const Due& b) { return Later(a, b); });
    const Due due = heap_.back();
    heap_.pop_back();
    now_ = std::max(now_, due.at);
    engine::Report report;
    report.completed.push_back({due.range, due.busy, Duration::zero(), due.busy, false,
                                model::PackedResults::OfEqualSize(due.range.Size(), 0, {})});
    done_ += due.range.Size();
    engine::Effects effects;
    timed([&] { effects = coordinator_->OnMessage({due.worker + 1}, std::move(report), now_); });
    Execute(std::move(effects));
    Execute(coordinator_->OnDurable(durable_, now_));
    while (!recalls_.empty()) {  // these workers have no unstarted tasks to return
      const auto [worker, recall] = recalls_.front();
      recalls_.pop_front();
      Execute(coordinator_->OnMessage({worker + 1}, engine::GiveBack{recall.id, {}}, now_));
    }
  }
}

void ManyWorkers::Execute(engine::Effects effects) {
  for (auto& effect : effects) {
    if (const auto* persist = std::get_if<engine::Persist>(&effect)) durable_ = persist->batch;
    const auto* send = std::get_if<engine::SendToWorker>(&effect);
    if (send == nullptr) continue;
    const auto worker = static_cast<std::uint32_t>(send->stream.value - 1);
    if (const auto* assign = std::get_if<engine::Assign>(&send->message)) Assign(worker, *assign);
    if (const auto* recall = std::get_if<engine::Recall>(&send->message)) {
      recalls_.emplace_back(worker, *recall);
    }
  }
}

void ManyWorkers::Assign(std::uint32_t worker, const engine::Assign& assign) {
  for (const auto& grant : assign.grants) {
    ++decisions_;
    const Duration busy =
        FromSeconds(kTaskSeconds / Speed(worker) * static_cast<double>(grant.range.Size()));
    free_at_[worker] = std::max(free_at_[worker], now_) + busy;
    heap_.push_back({free_at_[worker], worker, grant.range, busy});
    std::push_heap(heap_.begin(), heap_.end(),
                   [](const Due& a, const Due& b) { return Later(a, b); });
  }
}

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
  ManyWorkers simulation(1000, 10'000'000);
  double most = 0;
  for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999}) {
    simulation.RunUntil(share, Call);
    static_cast<void>(simulation.coordinator().TakeEvents());  // the process would journal them
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
  ManyWorkers simulation(workers, workers * kTasksOfEach);
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
    const auto events = simulation.coordinator().TakeEvents();
    const auto moved = std::count_if(events.begin(), events.end(), [](const auto& event) {
      return event.kind == model::TimelineEvent::Kind::kMove;
    });
    if (moved == 0) return;
    times.moves += moved;
    moving += us;
  };
  simulation.RunUntil(1.0, timed);
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
}  // namespace evenkeel::bench

int main(int argc, char** argv) {
  namespace bench = evenkeel::bench;
  if (argc > 1) {
    for (int i = 1; i < argc; ++i) {
      const auto workers = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
      std::printf("%s{\"workers\": %u, ", i == 1 ? "[" : ",\n ", workers);
      bench::Print(bench::TimeDecisions(workers));
    }
    std::printf("]\n");
    return 0;
  }
  std::printf("{\"stateMebibytes\": %.2f, ", bench::StateMebibytes());
  std::fflush(stdout);
  bench::Print(bench::TimeDecisions(10'000));
  std::printf("\n");
}
