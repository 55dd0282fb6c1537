#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/coordinator.h"
#include "simulator/network.h"
#include "simulator/simulated_journal.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// The coordinator process in virtual time: the state machine of core/engine, its timer, its
/// commits to the journal, restarts on what is durable, and stalls. Not thread-safe.
class CoordinatorHost final : public EventTarget {
 public:
  /// All of them must outlive it. Each commit must be reported to OnDurable.
  CoordinatorHost(SimulationContext& context, Network& network, SimulatedJournal& journal);

  /// Starts the process on what is durable; it must not run.
  void Start();
  void Kill();
  /// Starts the process then unless it runs.
  void RestartAt(Instant at);
  /// From now on the process handles nothing until `until`; then it handles all that has arrived.
  void Stall(Instant until);
  /// How long after a failed commit, for which the process exits, it is started again.
  void RestartAfterFailure(Duration delay) { restart_delay_ = delay; }

  /// The job has so many tasks from now on. That is durable at once: a coordinator that is down
  /// learns of it when it starts.
  void Grow(std::int64_t tasks);
  void OnMessage(engine::StreamId stream, engine::ToCoordinator message);
  void OnStreamClosed(engine::StreamId stream);
  void OnDurable(engine::BatchId batch);
  void OnCommitFailed(const std::string& reason);
  void OnEvent(const Event& event) override;

  /// Null while the process is down.
  [[nodiscard]] const engine::Coordinator* engine() const { return engine_.get(); }
  /// Number of starts so far.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  /// Set once the job is over.
  [[nodiscard]] const std::optional<engine::EndJob>& end() const { return end_; }
  [[nodiscard]] Instant ended_at() const { return ended_at_; }

 private:
  [[nodiscard]] engine::CoordinatorConfig EngineConfig() const;
  using Step = std::function<engine::Effects(engine::Coordinator&, Instant now)>;

  void Resume();
  /// Runs `step`, a Step, now. During a stall it waits in the inbox, which dies with the process.
  template <typename AnyStep>
  void Handle(AnyStep step) {
    if (!engine_) return;
    if (stalled_since_) return inbox_.push_back(std::move(step));
    Apply(step(*engine_, context_.time.Now()));
  }
  void Apply(engine::Effects effects);
  void Record(const model::TimelineEvent& event);
  void Execute(engine::Effects effects);
  void Send(engine::StreamId stream, engine::ToWorker message);
  void CheckLeases(std::size_t node, const engine::Assign& assign);
  void Commit(engine::Persist batch);
  void End(const engine::EndJob& end);
  void Exit(const std::string& reason);
  void PlanTimer();
  [[nodiscard]] std::vector<engine::PlacedTasks> PlacedWithin(model::IndexRange tasks) const;
  [[nodiscard]] std::vector<engine::NodeLink> Links() const;

  SimulationContext& context_;
  Network& network_;
  SimulatedJournal& journal_;
  std::unique_ptr<engine::Coordinator> engine_;
  std::shared_ptr<const model::CostModel> costs_;  // of the tasks that were appended so far
  std::uint64_t epoch_ = 0;
  Instant timer_ = kNever;
  std::optional<Instant> stalled_since_;
  Instant stalled_until_{};
  std::deque<Step> inbox_;  // empty unless the process is stalled
  bool commit_failed_ = false;
  bool handles_goodbye_ = false;
  Duration restart_delay_{};
  std::optional<engine::EndJob> end_;
  Instant ended_at_{};
};

}  // namespace evenkeel::simulator
