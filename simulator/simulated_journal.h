#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "coordinator/journal_queue.h"
#include "coordinator/record_store.h"
#include "core/model/range_set.h"
#include "simulator/simulated_tasks.h"
#include "simulator/simulation_context.h"

namespace evenkeel::simulator {

/// The coordinator's journal and its disk. It survives the coordinator. Not thread-safe.
class SimulatedJournal final : public coordinator::RecordStore {
 public:
  /// Both must outlive it.
  SimulatedJournal(SimulationContext& context, SimulatedTasks& tasks);

  /// Makes the records durable now. kStorageFull if a fault makes the disk fail.
  Result<void> Append(const coordinator::JournalRecords& records) override;
  Result<void> Grow(const coordinator::JobIdentity& identity) override;

  /// Duration of a commit that begins now.
  [[nodiscard]] Duration CommitTime() const;
  /// Commits that begin before `until` take `latency`.
  void SlowDown(Duration latency, Instant until);
  /// The next commit to end fails.
  void FailNextCommit() { fails_next_ = true; }

  [[nodiscard]] const model::RangeSet& completed() const { return completed_; }
  [[nodiscard]] const std::vector<model::FailureRecord>& failures() const { return failures_; }
  /// The end of the last durable result on the job's time line.
  [[nodiscard]] Duration active() const { return active_; }

 private:
  SimulationContext& context_;
  SimulatedTasks& tasks_;
  bool fails_next_ = false;
  Duration slow_latency_{};
  Instant slow_until_{};
  model::RangeSet completed_;
  std::vector<model::FailureRecord> failures_;
  Duration active_{};
};

/// Does the work of coordinator::JournalWriter's thread as events in virtual time: commits one
/// group of records after the other. Belongs to one start of the coordinator; uncommitted records
/// are lost with it. Not thread-safe.
class SimulatedJournalWriter final : public coordinator::RecordSink {
 public:
  /// All of them must outlive it.
  SimulatedJournalWriter(const SimulationContext& context, SimulatedJournal& journal,
                         coordinator::LoopInbox& inbox);

  void Append(coordinator::JournalEntry entry) override { queue_.Add(std::move(entry)); }
  [[nodiscard]] std::size_t PendingBytes() const override { return queue_.PendingBytes(); }

  /// Begins the next commit unless one is under way or there is none to begin. Returns when it
  /// ends.
  [[nodiscard]] std::optional<Instant> Begin();
  /// To be called then: posts the outcome.
  void End();
  /// Commits everything that was appended, at once, unless a commit has failed.
  void Flush();

 private:
  void Write(const coordinator::JournalQueue::Group& group);

  const SimulationContext& context_;
  SimulatedJournal& journal_;
  coordinator::LoopInbox& inbox_;
  coordinator::JournalQueue queue_;
  std::optional<coordinator::JournalQueue::Group> under_way_;
  bool failed_ = false;
};

}  // namespace evenkeel::simulator
