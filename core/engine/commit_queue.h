#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/engine/completion_policy.h"
#include "core/engine/effect_outbox.h"
#include "core/engine/effects.h"
#include "core/engine/membership.h"
#include "core/engine/run_statistics.h"
#include "core/engine/task_ledger.h"

namespace evenkeel::engine {

/// Results, failures and outcomes of checks that are made durable together.
struct Commit {
  scheduling::WorkerId worker{};
  StreamId stream{};  ///< 0: no acknowledgement is due
  std::vector<model::ResultRecord> results{};
  std::vector<model::FailureRecord> failures{};
  std::vector<model::ConfirmationRecord> confirmations{};
  std::vector<model::ExclusionRecord> exclusions{};
  std::vector<model::IndexRange> reported{};   ///< to be acknowledged, new or not
  std::vector<model::IndexRange> completed{};  ///< new ones
  CompletionPolicy::Batch batch{};
  Duration ended{};  ///< job time at which the last task ended
};

/// The commits on their way to the disk, in order. A result counts for the end of the job and is
/// acknowledged once it is durable, never before. Not thread-safe.
class CommitQueue {
 public:
  /// All of them outlive the queue.
  struct Parts {
    TaskLedger& ledger;
    const Membership& membership;
    CompletionPolicy& completion;
    RunStatistics& statistics;
    EffectOutbox& outbox;
  };

  explicit CommitQueue(const Parts& parts) : parts_(parts) {}

  /// Asks for the records of the commit to be made durable.
  void Add(Commit commit);
  /// The results of the worker on their way to the disk do not count any more.
  void Revoke(scheduling::WorkerId worker);
  /// All batches up to this one are durable.
  void OnDurable(BatchId batch, Instant now);
  [[nodiscard]] bool Empty() const { return commits_.empty(); }

 private:
  Parts parts_;
  std::map<BatchId, Commit> commits_;  // without their records
  std::uint64_t next_batch_ = 1;
};

}  // namespace evenkeel::engine
