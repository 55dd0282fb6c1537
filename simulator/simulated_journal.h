#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/engine/effects.h"
#include "core/model/range_set.h"
#include "simulator/simulated_tasks.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// The coordinator's journal. It survives the coordinator. A commit takes time, and what is not
/// committed when the process dies is lost. Not thread-safe.
class SimulatedJournal final : public EventTarget {
 public:
  /// Is called after each commit, unless the process died meanwhile.
  using OnDurable = std::function<void(engine::BatchId)>;

  /// `context` and `tasks` must outlive it.
  SimulatedJournal(SimulationContext& context, SimulatedTasks& tasks, OnDurable on_durable);

  void Commit(engine::Persist batch);
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
  OnDurable on_durable_;
  std::uint64_t process_ = 0;
  Shelf<Pending> pending_;
  model::RangeSet completed_;
  std::vector<model::FailureRecord> failures_;
  Duration active_{};
};

}  // namespace evenkeel::simulator
