#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/coordinator_loop.h"
#include "coordinator/record_store.h"

namespace evenkeel::coordinator {

/// Journal entries in the groups in which they are committed: everything that has come while the
/// group before was on its way to the disk goes in one transaction. Not thread-safe.
class JournalQueue {
 public:
  struct Group {
    std::vector<VersionChange> versions;
    JournalRecords records;
    std::optional<engine::BatchId> last;  ///< batch with more than events
    std::size_t bytes = 0;
  };

  void Add(JournalEntry entry);
  /// Whether there is more than events, which are written with the next group.
  [[nodiscard]] bool Urgent() const { return group_.last || !group_.versions.empty(); }
  /// Everything that was added since the last call. Its results stay pending until OnCommitted.
  [[nodiscard]] Group Take() { return std::exchange(group_, {}); }
  void OnCommitted(const Group& group) { pending_bytes_ -= group.bytes; }
  /// Size of the results that were added and not committed yet.
  [[nodiscard]] std::size_t PendingBytes() const { return pending_bytes_; }

 private:
  void Revoke(const std::string& node);

  Group group_;
  std::size_t pending_bytes_ = 0;
};

/// Writes a group to the store; may take long. Returns the events for the loop: of each version,
/// then BatchCommitted or JournalFailed.
[[nodiscard]] std::vector<LoopEvent> Commit(const JournalQueue::Group& group, RecordStore& store);

}  // namespace evenkeel::coordinator
