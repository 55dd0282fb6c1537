#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "coordinator/coordinator_loop.h"
#include "simulator/network.h"
#include "simulator/simulated_journal.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// The coordinator process in virtual time: the product's loop, inbox and journal queue between
/// the simulated network and the simulated disk, with restarts on what is durable, and stalls. Not
/// thread-safe.
class CoordinatorHost final : public EventTarget,
                              private coordinator::Transport,
                              private coordinator::RecordSink {
 public:
  /// All of them must outlive it.
  CoordinatorHost(SimulationContext& context, Network& network, SimulatedJournal& journal);

  /// Starts the process on what is durable; it must not run.
  void Start();
  void Kill();
  /// Starts the process then unless it runs.
  void RestartAt(Instant at);
  /// From now on the process handles nothing until `until`. Messages wait in the kernel; the loop
  /// runs before they are read.
  void Stall(Instant until);
  /// How long after a failed commit, for which the process exits, it is started again.
  void RestartAfterFailure(Duration delay) { restart_delay_ = delay; }

  /// The job has so many tasks from now on. A coordinator that is down learns of it when it starts.
  void Grow(std::int64_t tasks);
  /// The operator knows that a node's container was killed for lack of memory; it reports the
  /// latest two ends of each node to each start of the coordinator.
  void OnContainerEnd(const std::string& node, std::int64_t at_seconds);
  void OnMessage(engine::StreamId stream, engine::ToCoordinator message);
  void OnStreamClosed(engine::StreamId stream);
  void OnEvent(const Event& event) override;

  /// Null while the process is down.
  [[nodiscard]] const engine::Coordinator* engine() const {
    return process_ ? &process_->loop.engine() : nullptr;
  }
  /// Number of starts so far.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// Set once the job is over.
  [[nodiscard]] const std::optional<coordinator::LoopEnd>& end() const { return end_; }
  [[nodiscard]] Instant ended_at() const { return ended_at_; }

 private:
  enum Kind : std::uint8_t { kWakeup, kCommitEnd };
  struct Arrival {
    engine::StreamId stream;
    coordinator::LoopEvent event;
  };
  struct Process {
    Process(CoordinatorHost& host, coordinator::CoordinatorLoop::Config config);

    coordinator::LoopInbox inbox;
    SimulatedJournalWriter writer;
    coordinator::CoordinatorLoop loop;
    /// Streams that must not be read, with what has arrived on them since.
    std::unordered_map<engine::StreamId, std::deque<coordinator::LoopEvent>> unread;
    bool finished = false;  ///< the loop has ended and must not do anything any more
  };

  // The loop's transport and journal.
  void Send(engine::StreamId stream, engine::ToWorker message) override;
  void Close(engine::StreamId stream) override;
  void ReadOn(engine::StreamId stream) override;
  void Append(coordinator::JournalEntry entry) override;
  [[nodiscard]] std::size_t PendingBytes() const override;

  void ReportContainerEnds();
  /// Tells the coordinator which data are in the cache of a node.
  void ReportCachedData(std::size_t node);
  void Resume();
  /// Reads what has arrived on a stream, unless it has to wait.
  void Read(engine::StreamId stream, coordinator::LoopEvent event);
  void StepUnlessStalled() {
    if (!stalled_) Step();
  }
  void Step();
  void CheckInvariants();
  void BeginCommit();
  void PlanWakeup(Instant at);
  void OnWakeup(Instant due);
  void End();
  void Exit(const std::string& reason);
  void CheckEvent(const model::TimelineEvent& event);
  void CheckLeases(std::size_t node, const engine::Assign& assign);

  SimulationContext& context_;
  Network& network_;
  SimulatedJournal& journal_;
  std::unique_ptr<Process> process_;
  std::int64_t tasks_;  // that were appended so far
  engine::ContainerEnds container_ends_;
  std::uint64_t epoch_ = 0;
  Instant wakeup_ = kNever;
  bool stalled_ = false;
  Instant stalled_until_{};
  std::deque<Arrival> in_kernel_;  // empty unless the process is stalled
  Duration restart_delay_{};
  std::optional<coordinator::LoopEnd> end_;
  Instant ended_at_{};
};

}  // namespace evenkeel::simulator
