#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/engine/worker.h"
#include "worker/backoff.h"
#include "worker/task_claim.h"
#include "worker/worker_blocks.h"
#include "worker/worker_process.h"
#include "workloads/workload.h"

namespace evenkeel::worker {

/// What surrounds the state machine: locks, threads, time. Everything happens under one mutex but
/// the tasks themselves and the end of a connection. The thread in Run is the timer and minds the
/// connection; the compute threads and the connection's threads come in with their events.
class WorkerShell final : public WorkerProcess {
 public:
  WorkerShell(WorkerOptions options, engine::WorkerConfig config, std::uint64_t seed,
              const workloads::Registry& registry, const Clock& clock);
  ~WorkerShell() override;

  WorkerEnd Run() override;
  void Drain() override;

 private:
  /// One connection, or the attempt at one.
  class Link final : public ConnectionListener {
   public:
    explicit Link(WorkerShell& shell) : shell_(shell) {}
    void OnMessage(engine::ToWorker message) override {
      shell_.OnMessage(*this, std::move(message));
    }
    void OnClosed(const std::string& reason) override { shell_.OnClosed(*this, reason); }

    // Guarded by the shell's mutex.
    std::optional<std::string> closed;                  // why
    bool heard = false;                                 // the coordinator has spoken
    std::unique_ptr<CoordinatorConnection> connection;  // last, for it calls this until it is gone

   private:
    WorkerShell& shell_;
  };
  using Lock = std::unique_lock<std::mutex>;

  // worker_shell.cc: events and effects.
  void OnMessage(Link& link, engine::ToWorker message);
  void OnClosed(Link& link, const std::string& reason);
  /// False if the job's tasks cannot be run here; that is the end, then.
  bool PrepareWorkload(const engine::Welcome& welcome);
  [[nodiscard]] workloads::RunnerOptions RunnerSettings() const;
  void Compute(std::uint32_t thread);
  void Carry(engine::Worker::Effects effects);
  void End(WorkerExit exit, std::string reason);
  /// Wakes the thread in Run if it would sleep too long.
  void MindTimer();

  // worker_run.cc: what the thread in Run does.
  void KeepConnected(Lock& lock);
  void Connect();
  void DropLink(Lock& lock);
  void ComplainOfAttempt(const std::string& reason);
  void GiveUpIfDue();
  void StartDraining();
  void StopDraining();
  void StopAllBatches();
  [[nodiscard]] Instant NextDue() const;
  void SleepUntil(Lock& lock, Instant due);
  void Leave(Lock& lock);

  const WorkerOptions options_;
  const workloads::Registry& registry_;
  const Clock& clock_;

  std::mutex mutex_;                 // guards what follows
  std::condition_variable work_;     // compute threads wait for work
  std::condition_variable changed_;  // the thread in Run waits for events
  engine::Worker engine_;
  std::shared_ptr<const workloads::Workload> workload_;
  std::unique_ptr<WorkerBlocks> blocks_;  // if workload_ has any
  std::string job_;                       // its name; like the next one, written with workload_
  std::string parameters_;                // of workload_
  std::vector<std::stop_source> stops_;   // of the batch of each thread
  std::vector<TaskClaim> claims_;         // likewise
  std::unique_ptr<Link> link_;
  Backoff backoff_;
  Instant connect_at_{};            // while there is no link
  Instant complain_at_{};           // not before the next word about failed attempts
  std::optional<Instant> lost_at_;  // since when the coordinator has not been heard
  std::optional<Instant> drain_until_;
  std::string leaves_because_;  // empty unless the worker drains by itself
  bool drain_over_ = false;     // the grace is over, the last messages are under way
  Instant sleeps_until_{};
  bool leaving_ = false;
  std::optional<WorkerEnd> end_;
};

}  // namespace evenkeel::worker
