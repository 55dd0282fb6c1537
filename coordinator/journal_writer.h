#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "coordinator/coordinator_loop.h"
#include "coordinator/journal.h"

namespace evenkeel::coordinator {

/// Journal entries in the groups in which they are committed: everything that has come while the
/// group before was on its way to the disk goes in one transaction. Not thread-safe.
class CommitQueue {
 public:
  struct Group {
    std::vector<VersionChange> versions;
    std::vector<model::ResultRecord> results;
    std::vector<model::FailureRecord> failures;
    std::vector<model::TimelineEvent> events;
    std::optional<engine::BatchId> last;  ///< batch with results or failures
    std::size_t bytes = 0;
  };

  void Add(JournalEntry entry);
  /// Whether there is more than events, which are written with the next group.
  [[nodiscard]] bool Urgent() const { return group_.last || !group_.versions.empty(); }
  /// Everything that was added since the last call.
  [[nodiscard]] Group Take() { return std::exchange(group_, {}); }

 private:
  Group group_;
};

/// Writes a group to the journal; may take long. Returns the events for the loop: of each version,
/// then BatchCommitted or JournalFailed.
[[nodiscard]] std::vector<LoopEvent> Commit(const CommitQueue::Group& group, Journal& journal);

/// Writes the loop's records to a journal on a thread of its own. Append belongs to one thread.
class JournalWriter final : public RecordSink {
 public:
  /// Both must outlive the writer.
  JournalWriter(Journal& journal, LoopInbox& inbox);
  /// Writes everything that was appended, unless writing has failed.
  ~JournalWriter() override;
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void Append(JournalEntry entry) override;
  [[nodiscard]] std::size_t PendingBytes() const override;

 private:
  void Run();

  Journal& journal_;
  LoopInbox& inbox_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  CommitQueue queue_;
  std::size_t pending_bytes_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace evenkeel::coordinator
