#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/effects.h"
#include "core/model/range_set.h"
#include "simulator/simulated_tasks.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// Receives the outcome of each commit, in the order of the commits, unless the process died.
class CommitListener {
 public:
  virtual ~CommitListener() = default;
  virtual void OnDurable(engine::BatchId batch) = 0;
  /// The commit and all later ones of this process are lost.
  virtual void OnCommitFailed(const std::string& reason) = 0;
};

/// The coordinator's journal. It survives the coordinator. A commit takes time, and what is not
/// committed when the process dies is lost. Not thread-safe.
class SimulatedJournal final : public EventTarget {
 public:
  /// All of them must outlive it.
  SimulatedJournal(SimulationContext& context, SimulatedTasks& tasks, CommitListener& listener);

  void Commit(engine::Persist batch);
  /// Commits that begin before `until` take `latency`.
  void SlowDown(Duration latency, Instant until);
  /// The next commit to end fails.
  void FailNextCommit() { fails_next_ = true; }
  /// The process died: drops all commits that have not ended.
  void DropPending() { ++process_; }

  [[nodiscard]] const model::RangeSet& completed() const { return completed_; }
  [[nodiscard]] const std::vector<model::FailureRecord>& failures() const { return failures_; }
  /// The end of the last durable result on the job's time line.
  [[nodiscard]] Duration active() const { return active_; }

  void OnEvent(const Event& event) override;

 private:
  struct Pending {
    std::uint64_t process = 0;
    engine::Persist batch;
  };
  void MakeDurable(const engine::Persist& batch);

  SimulationContext& context_;
  SimulatedTasks& tasks_;
  CommitListener& listener_;
  std::uint64_t process_ = 0;
  bool fails_next_ = false;
  Duration slow_latency_{};
  Instant slow_until_{};
  Instant last_commit_{};  // when the last commit ends that has begun
  Shelf<Pending> pending_;
  model::RangeSet completed_;
  std::vector<model::FailureRecord> failures_;
  Duration active_{};
};

}  // namespace evenkeel::simulator
