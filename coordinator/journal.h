#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/time.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// Identifies the job that a journal belongs to. A journal with another identity is refused, unless
/// tasks were appended to the job since.
struct JobIdentity {
  std::string job;  ///< metadata.name
  std::string workload;
  std::uint32_t workload_version = 1;
  std::string parameters;  ///< canonical JSON
  std::int64_t task_count = 0;
  std::string inputs{};  ///< a digest of the tasks' inputs; empty if they have none
  /// Whether this job is `earlier` with tasks appended. Empty: tasks cannot be appended.
  std::function<bool(const JobIdentity& earlier)> continues{};
};

/// How to treat the journal of a complete job to which tasks were appended.
enum class CompleteJob : std::uint8_t {
  kGoesOn,  ///< the job is not complete any more
  kStays,   ///< the tasks are not taken
};

/// The content of a journal when it was opened.
struct JournalState {
  std::uint64_t epoch = 1;    ///< this start's epoch: one more than the last one's
  std::string parameters;     ///< JobIdentity::parameters, as recorded when it was opened
  bool complete = false;      ///< MarkEnded(kComplete) was called in an earlier epoch
  model::RangeSet completed;  ///< durable results
  std::vector<model::FailureRecord> failures;  ///< in the order written, without their records
  Duration active{};                           ///< end of the job's time line so far
};

/// How large the results are that a journal will hold.
enum class ResultSizes : std::uint8_t {
  kSmall,
  kLarge  ///< hundreds of KiB and more: pages of 64 KiB, and all stays in the log until the end;
          ///< both would make small ones slower
};

/// Reads the records of a job. Thread-safe.
class JournalReader {
 public:
  virtual ~JournalReader() = default;

  /// Calls visit for each result in the order of the range's begin. Stops at the first error that
  /// visit returns and returns it.
  virtual Result<void> ForEachResult(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const = 0;
  /// The same without the results' bytes, which are not read: who ran what, and when.
  virtual Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const = 0;
  /// The tasks that failed for good, with their records, in the order they were written.
  virtual Result<void> ForEachFinalFailure(
      const std::function<Result<void>(const model::FailureRecord&)>& visit) const = 0;
  virtual Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>& visit) const = 0;
};

/// The durable memory of one job: a SQLite database `journal.db` (WAL, synchronous FULL).
/// One process holds it at a time (exclusive lock, kept until destruction). A folder on a network
/// file system that cannot lock is refused. Thread-safe for one writer and any number of readers
/// through their own Journal::Read calls.
class Journal : public JournalReader {
 public:
  /// Creates or opens `folder`/journal.db for this job and raises the epoch durably. Tasks that
  /// were appended to the job are the journal's from then on. `sizes` counts when it is created.
  /// Errors, one line each: kConflict (another job's journal, a newer format), kInUse (held by
  /// another process), kStorageFull, kUnavailable, kInternal.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> Open(
      const std::filesystem::path& folder, const JobIdentity& identity,
      CompleteJob complete = CompleteJob::kGoesOn, ResultSizes sizes = ResultSizes::kSmall);

  [[nodiscard]] virtual const JournalState& State() const = 0;

  /// Appends all of it in one transaction; on return it is durable. On error nothing was written;
  /// kStorageFull when there is no room.
  virtual Result<void> Append(const std::vector<model::ResultRecord>& results,
                              const std::vector<model::FailureRecord>& failures,
                              const std::vector<model::TimelineEvent>& events) = 0;

  /// The job has more tasks, durably on return. kConflict if `identity` is not this journal's job
  /// with tasks appended; nothing was changed after an error.
  virtual Result<void> Grow(const JobIdentity& identity) = 0;

  /// A consistent copy: the bytes of a journal.db that is whole without a log. kStorageFull if it
  /// has more than `max_bytes`.
  [[nodiscard]] virtual Result<std::string> Copy(std::int64_t max_bytes) const = 0;

  /// Keeps how the job ended.
  virtual Result<void> MarkEnded(model::JobState state) = 0;
};

}  // namespace evenkeel::coordinator
