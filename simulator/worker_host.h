#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/engine/worker.h"
#include "simulator/data_blocks.h"
#include "simulator/network.h"
#include "simulator/simulated_tasks.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// After so long a worker that lost its coordinator connects again.
inline constexpr Duration kReconnectAfter = std::chrono::milliseconds(200);

/// One node: the worker process with its threads, which run tasks in virtual time. It connects to
/// the coordinator whenever it can. Not thread-safe; must not be moved.
class WorkerHost final : public EventTarget {
 public:
  /// Parts that the hosts of one simulation share; all of them must outlive the hosts.
  struct Services {
    SimulationContext& context;
    Network& network;
    DataBlocks& blocks;
    SimulatedTasks& tasks;
  };

  WorkerHost(std::size_t node, Services services);
  WorkerHost(const WorkerHost&) = delete;
  WorkerHost& operator=(const WorkerHost&) = delete;

  /// Starts the process unless it runs or the job is over.
  void Start();
  void Kill();
  /// SIGTERM; the process must run.
  void Drain();
  /// Must be called before the simulation runs: no task advances in [from, to).
  void PlanStall(Instant from, Instant to) { speed_.StandStill(from, to); }
  /// From now on the process handles nothing until `until`.
  void Stall(Instant until);
  /// The link is down until `until`. The coordinator notices `noticed_after` from now.
  void CutLink(Instant until, Duration noticed_after);
  /// The steady clock of the node jumps ahead by `amount` >= 0.
  void JumpClock(Duration amount);

  void OnMessage(engine::ToWorker message);
  /// The coordinator closed the stream, or died.
  void OnStreamClosed() { Disconnect(Duration::zero(), context_.time.After(kReconnectAfter)); }
  void OnEvent(const Event& event) override;

  [[nodiscard]] bool running() const { return worker_.has_value(); }
  [[nodiscard]] bool stalled() const { return stalled_until_ > context_.time.Now(); }
  [[nodiscard]] Instant stalled_until() const { return stalled_until_; }
  /// Seconds of its threads, summed.
  [[nodiscard]] double busy_seconds() const { return busy_seconds_; }

 private:
  enum Kind : std::uint8_t { kBatchEnd, kBatchStopped, kTimer };
  struct Thread {
    std::optional<engine::Batch> batch;
    Instant started{};
    Instant ready{};               // its blocks have arrived
    Duration clock_offset{};       // when it started
    std::uint64_t generation = 0;  // tells the end of this batch from that of an earlier one
  };

  /// The time that the node's steady clock shows.
  [[nodiscard]] Instant ClockTime() const { return context_.time.Now() + clock_offset_; }
  void Connect();
  void Disconnect(Duration noticed_after, Instant connects_at);
  void Apply(engine::Worker::Effects effects);
  void Schedule(Kind kind, std::uint32_t thread, std::uint64_t detail, Instant at);
  void StartBatches();
  void StartBatch(std::uint32_t thread_number);
  /// The thread's batch ends with the task that runs now.
  void CutBatch(std::uint32_t thread_number);
  void EndBatch(std::uint32_t thread_number, std::uint64_t generation, bool stopped);
  /// Runs the batch's tasks up to now, in virtual time; fills in everything but `busy`.
  void RunTasks(const engine::Batch& batch, bool stopped, Instant begins,
                engine::BatchOutcome& outcome);
  void DropBatches();
  void PlanTimer();
  void OnTimer(Instant due);

  // The members that every event needs come first: VirtualTime prefetches the start of the object.
  std::optional<engine::Worker> worker_;  // none while the process is down
  std::vector<Thread> threads_;
  Instant timer_ = kNever;  // on the node's clock
  Instant stalled_until_{};
  Duration clock_offset_{};  // of the node's clock, against virtual time
  std::size_t node_;
  SpeedProfile speed_;
  double busy_seconds_ = 0;
  SimulationContext& context_;
  Network& network_;
  DataBlocks& blocks_;
  SimulatedTasks& tasks_;
  const NodeModel& model_;
  Instant link_down_until_{};
  std::uint64_t incarnation_ = 0;
};

}  // namespace evenkeel::simulator
