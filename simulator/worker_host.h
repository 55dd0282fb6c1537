#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "simulator/data_blocks.h"
#include "simulator/input_files.h"
#include "simulator/network.h"
#include "simulator/simulated_tasks.h"
#include "simulator/simulation_context.h"
#include "worker/worker_loop.h"

namespace evenkeel::simulator {

/// One node: the worker process, the product's WorkerLoop between the simulated network and threads
/// that run tasks in virtual time. Not thread-safe; must not be moved.
class WorkerHost final : public EventTarget,
                         private Clock,
                         private worker::Transport,
                         private worker::TaskThreads,
                         private worker::JobLoader {
 public:
  /// Parts that the hosts of one simulation share; all of them must outlive the hosts.
  struct Services {
    SimulationContext& context;
    Network& network;
    DataBlocks& blocks;
    InputFiles& files;
    SimulatedTasks& tasks;
    /// The container of the node's tasks was killed for lack of memory, then by the clock of the
    /// node.
    std::function<void(const std::string& node, std::int64_t at_seconds)> on_container_end{};
  };

  WorkerHost(std::size_t node, Services services);
  WorkerHost(const WorkerHost&) = delete;
  WorkerHost& operator=(const WorkerHost&) = delete;

  /// Starts the process unless it runs or the job is over.
  void Start();
  void Kill();
  /// As Kill; the node boots anew, and the coordinator notices `noticed_after` from now.
  void LosePower(Duration noticed_after);
  /// SIGTERM; the process must run and must not be stalled.
  void Drain();
  /// Must be called before the simulation runs: no task advances in [from, to).
  void PlanStall(Instant from, Instant to) { speed_.AddStall(from, to); }
  /// From now on the process handles nothing until `until`.
  void Stall(Instant until);
  /// The link is down until `until`. The process notices now, the coordinator `noticed_after` from
  /// now.
  void CutLink(Instant until, Duration noticed_after);
  /// The steady clock of the node jumps ahead by `amount` >= 0.
  void JumpClock(Duration amount);

  void OnMessage(engine::ToWorker message);
  /// The coordinator closed the stream, or died.
  void OnStreamClosed();
  void OnEvent(const Event& event) override;

  [[nodiscard]] bool running() const { return loop_.has_value(); }
  [[nodiscard]] bool stalled() const { return stalled_until_ > context_.time.Now(); }
  [[nodiscard]] Instant stalled_until() const { return stalled_until_; }
  /// Seconds of its threads, summed.
  [[nodiscard]] double busy_seconds() const { return busy_seconds_; }
  /// Deaths by each deadly task that ran here.
  [[nodiscard]] const std::map<model::TaskIndex, std::int64_t>& deaths() const { return deaths_; }
  /// Seconds of its threads in the runs that deadly tasks ended.
  [[nodiscard]] double lost_seconds() const { return lost_seconds_; }

 private:
  enum Kind : std::uint8_t { kBatchEnd, kBatchStopped, kRunnerLost, kDeath, kWakeup };
  struct Thread {
    std::optional<engine::Batch> batch;
    Instant started{};
    Instant ready{};               // its blocks have arrived
    Duration clock_offset{};       // when it started
    bool in_company = false;       // others ran when it started
    std::uint64_t generation = 0;  // tells the end of this batch from that of any earlier one
    // The first task that is not done, and when it will be, if the run reports its progress.
    model::TaskIndex next = 0;
    Instant next_done{};
  };
  /// A stream of the loop, of this process.
  struct LoopStream {
    std::uint64_t process = 0;
    std::uint64_t number = 0;

    friend bool operator==(const LoopStream&, const LoopStream&) = default;
  };

  // The loop's clock, which is that of the node, its transport, threads and jobs.
  [[nodiscard]] Instant Now() const override { return context_.time.Now() + clock_offset_; }
  void Open(std::uint64_t stream, Duration connect_timeout) override;
  void Send(engine::ToCoordinator message) override;
  void Drop() override;
  void Wake() override { work_available_ = true; }
  void Stop(std::uint32_t thread) override;
  model::IndexRange Cut(std::uint32_t thread, std::int64_t max_tasks, Instant now) override;
  [[nodiscard]] model::TaskIndex Progress(std::uint32_t thread) const override;
  Result<void> Load(const engine::Welcome&) override { return {}; }
  [[nodiscard]] std::int64_t TasksAhead() const override;
  void FetchAhead(const std::vector<engine::HeldTask>& tasks) override {
    files_.Expect(node_, tasks);
  }

  /// Opens the stream if the coordinator can be reached, or tries again until `give_up`.
  void Connect(LoopStream stream, Instant give_up);
  /// Tells the loop, after a stall if need be, unless it uses another stream by then.
  void Close(LoopStream stream, const std::string& reason);
  /// To be called after each call of the loop: does what it has asked for.
  void FollowLoop();
  void TakeBatch(std::uint32_t thread_number);
  /// `how`: kBatchEnd, kBatchStopped or kRunnerLost.
  void EndBatch(std::uint32_t thread_number, std::uint64_t generation, Kind how);
  /// The container is gone, and with it the runs of all threads.
  void LoseContainer();
  /// Seconds since the start of the simulation, on the node's clock.
  [[nodiscard]] std::int64_t NodeSeconds(Instant at) const;
  /// Whether other threads than this one run tasks.
  [[nodiscard]] bool IsInCompany(std::uint32_t thread_number) const;
  /// Bytes of memory that the thread's tasks can use.
  [[nodiscard]] std::int64_t MemoryFor(std::uint32_t thread_number) const;
  /// Plans the death by the first deadly task of the thread's batch, if there is one.
  void PlanDeath(std::uint32_t thread_number);
  void Die(std::uint32_t thread_number, std::uint64_t generation);
  /// The process is gone; its stream is not closed yet.
  void EndProcess();
  /// Runs the batch's tasks up to now, in virtual time; fills in everything but `busy`.
  void RunTasks(const engine::Batch& batch, bool stopped, std::int64_t memory_bytes, Instant begins,
                engine::BatchOutcome& outcome);
  /// `next`: the first task that is not done.
  void RunAsOne(const engine::Batch& batch, bool stopped, model::TaskIndex next,
                std::int64_t memory_bytes, Instant begins, engine::BatchOutcome& outcome);
  model::IndexRange CutRun(std::uint32_t thread, std::int64_t max_tasks);
  void DropBatches();
  void Schedule(Kind kind, std::uint32_t thread, std::uint64_t detail, Instant at);
  void PlanWakeup();
  void OnWakeup(Instant due);

  // The members that every event needs come first: VirtualTime prefetches the start of the object.
  mutable std::vector<Thread> threads_;  // Progress() goes on from where it was
  Instant wakeup_ = kNever;              // on the node's clock
  Instant stalled_until_{};
  Duration clock_offset_{};  // of the node's clock, against virtual time
  LoopStream stream_;        // the latest
  bool work_available_ = false;
  double busy_seconds_ = 0;
  double lost_seconds_ = 0;
  std::map<model::TaskIndex, std::int64_t> deaths_;
  std::uint64_t boots_ = 1;
  std::size_t node_;
  SimulationContext& context_;
  Network& network_;
  DataBlocks& blocks_;
  InputFiles& files_;
  SimulatedTasks& tasks_;
  const NodeModel& model_;
  std::optional<worker::WorkerLoop> loop_;  // none while the process is down
  SpeedProfile speed_;
  Instant link_down_until_{};
  Instant container_back_{};
  std::function<void(const std::string&, std::int64_t)> on_container_end_;
  std::vector<engine::ToCoordinator> unsent_;  // while the stream is being opened
};

}  // namespace evenkeel::simulator
