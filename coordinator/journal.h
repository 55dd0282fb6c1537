#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/record_store.h"
#include "core/base/error.h"
#include "core/base/time.h"
#include "core/model/job_spec.h"
#include "core/model/range_set.h"
#include "core/model/run_record.h"

namespace evenkeel::coordinator {

/// Behavior of Journal::Open if the job is complete and tasks were appended to it since.
enum class CompleteJob : std::uint8_t {
  kGoesOn,  ///< records the new tasks; the job is running again
  kStays,   ///< ignores the new tasks; the job stays complete
};

/// The content of a journal when it was opened, without the results' bytes.
struct JournalState {
  std::uint64_t epoch = 1;    ///< of this start: one more than that of the previous start
  std::string parameters;     ///< JobIdentity::parameters
  bool complete = false;      ///< an earlier start called MarkEnded(kComplete)
  model::RangeSet completed;  ///< durable results
  std::vector<model::FailureRecord> failures;  ///< in the order of writing, without `record`
  Duration active{};                           ///< time on the job's time line so far
  std::string draw_key;                        ///< secret; decides which results are verified
  /// Tasks whose result was confirmed, with the node of the second run.
  std::map<model::TaskIndex, std::string> confirmed;
  std::vector<model::ExclusionRecord> exclusions;
  /// `active` when the rerun began that has not ended; zero if there is none.
  Duration active_before_rerun{};
};

/// The runs of a job's reduce command so far.
struct ReduceHistory {
  std::int32_t failed = 0;                  ///< runs that failed
  std::int32_t lost = 0;                    ///< runs whose end no coordinator saw
  std::optional<model::ReduceRecord> last;  ///< the last one that succeeded or failed
  [[nodiscard]] bool Succeeded() const { return last && last->failure.empty(); }
};

/// Records the runs of the reduce command. The runs of another command, or on other results, do not
/// count and are removed by the next BeginReduce. Thread-safe. Errors as of Journal.
class ReduceStore {
 public:
  virtual ~ReduceStore() = default;
  /// The runs of this command on the results that the journal has now.
  [[nodiscard]] virtual Result<ReduceHistory> ReadReduce(const std::string& command) const = 0;
  /// A run of this command begins. Durable when it returns. Without EndReduce it is lost.
  virtual Result<void> BeginReduce(const std::string& command) = 0;
  /// The run has ended. Nothing: it was interrupted and does not count. Durable when it returns.
  virtual Result<void> EndReduce(const std::optional<model::ReduceRecord>& record) = 0;
  /// Removes the runs that failed or were lost.
  virtual Result<void> ForgetFailedReduce() = 0;
};

/// Expected size of a result.
enum class ResultSizes : std::uint8_t {
  kSmall,
  kLarge  ///< hundreds of KiB or more: the database has pages of 64 KiB, and the write-ahead log is
          ///< not merged before the end; both would slow down small results
};

/// Reads the records of a job. Thread-safe. A reader reads page by page, so that it delays a writer
/// by one page at most; visitors run without a lock and may call the journal.
class JournalReader {
 public:
  virtual ~JournalReader() = default;

  /// Calls `visit` for each result, ordered by the begin of its range. Results that are appended
  /// meanwhile behind the current page are visited, too. Returns the first error of `visit`.
  virtual Result<void> ForEachResult(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const = 0;
  /// The same, but does not read the results' bytes.
  virtual Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const = 0;
  /// Visits the tasks that failed for good, with their records, in the order of writing.
  virtual Result<void> ForEachFinalFailure(
      const std::function<Result<void>(const model::FailureRecord&)>& visit) const = 0;
  /// Visits the events in the order of writing.
  virtual Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>& visit) const = 0;
};

/// The tasks with a result. Errors as of ForEachRange.
[[nodiscard]] Result<model::RangeSet> CompletedTasks(const JournalReader& journal);

/// The durable record of one job: a SQLite database `journal.db` (WAL, synchronous FULL). One
/// process has it open at a time (an exclusive lock until destruction). Acknowledged
/// data survives a crash of the process and a loss of power. A folder on a network file system that
/// cannot lock is refused. Thread-safe.
class Journal : public JournalReader, public RecordStore, public ReduceStore {
 public:
  /// Creates or opens `folder`/journal.db for this job and increments the epoch durably. Records
  /// tasks that were appended to the job since. `sizes` sets the page size of a new journal.
  /// With `rerun` the folder must have a journal, and these tasks are taken back as TakeBackTasks
  /// does. Errors, one line each: kInvalidInput (no journal), kConflict (another job's journal, a
  /// newer format, a rerun of other tasks has not ended), kInUse (held by another process),
  /// kStorageFull, kUnavailable, kInternal.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> Open(
      const std::filesystem::path& folder, const JobIdentity& identity,
      CompleteJob complete = CompleteJob::kGoesOn, ResultSizes sizes = ResultSizes::kSmall,
      const std::optional<model::RerunSelection>& rerun = {});

  [[nodiscard]] virtual const JournalState& State() const = 0;

  /// Returns a consistent copy: the bytes of a journal.db that needs no write-ahead log.
  /// kStorageFull if it has more than `max_bytes`. Blocks writers meanwhile.
  [[nodiscard]] virtual Result<std::string> Copy(std::int64_t max_bytes) const = 0;

  /// Records, durably, how the job ended.
  virtual Result<void> MarkEnded(model::JobState state) = 0;
};

}  // namespace evenkeel::coordinator
