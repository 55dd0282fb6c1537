#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// Identifies the job of a journal. A journal with another identity is refused, unless the job is
/// the same one with tasks appended.
struct JobIdentity {
  std::string job;  ///< metadata.name
  std::string workload;
  std::uint32_t workload_version = 1;
  std::string parameters;  ///< canonical JSON
  std::int64_t task_count = 0;
  std::string inputs{};  ///< digest of the tasks' inputs; empty if tasks have no inputs
  /// Returns whether this job is `earlier` with tasks appended. Empty: tasks cannot be appended.
  std::function<bool(const JobIdentity& earlier)> continues{};
};

/// Records that become durable together.
struct JournalRecords {
  std::vector<model::ResultRecord> results{};
  std::vector<model::FailureRecord> failures{};
  std::vector<model::TimelineEvent> events{};
  std::vector<model::ConfirmationRecord> confirmations{};
  /// The results of these nodes that the journal has, and the confirmations to which they were a
  /// party, are removed; `results` has none of theirs.
  std::vector<model::ExclusionRecord> exclusions{};

  [[nodiscard]] bool Empty() const {
    return results.empty() && failures.empty() && events.empty() && confirmations.empty() &&
           exclusions.empty();
  }
};

/// The part of a journal that a running job writes.
class RecordStore {
 public:
  virtual ~RecordStore() = default;

  /// Appends the records in one transaction, which is durable on return. On error nothing was
  /// written; kStorageFull if the disk is full.
  virtual Result<void> Append(const JournalRecords& records) = 0;

  /// Records, durably, that tasks were appended to the job. kConflict if `identity` is not this
  /// journal's job with tasks appended. On error nothing was changed. Waits for a transaction that
  /// is being written.
  virtual Result<void> Grow(const JobIdentity& identity) = 0;
};

}  // namespace evenkeel::coordinator
