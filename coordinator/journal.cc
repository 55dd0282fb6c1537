#include "coordinator/journal.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "coordinator/fair_mutex.h"
#include "coordinator/journal_format.h"
#include "coordinator/journal_rows.h"
#include "coordinator/lock_probe.h"
#include "coordinator/reduce_rows.h"
#include "coordinator/rerun.h"
#include "coordinator/sqlite_database.h"
#include "core/base/check.h"

namespace evenkeel::coordinator {
namespace {

/// The latest time that the event proves to have passed. The end of a prediction does not.
Duration EndOf(const model::TimelineEvent& event) {
  if (event.kind == model::TimelineEvent::Kind::kEta) return event.start;
  return std::max(event.start, event.end);
}

/// Maximum size of a page: the rows that a reader holds in memory, and that it reads in one go
/// while writers wait. A single larger result is a page, too.
constexpr std::size_t kMaxPageRows = 256;
constexpr std::size_t kMaxPageBytes = 1 << 20;
/// Maximum length of a job's time line; small enough to add to an Instant without overflow.
constexpr Duration kMaxActive = std::chrono::hours(24 * 365 * 100);
constexpr std::int64_t kBeforeFirstKey = std::numeric_limits<std::int64_t>::min();

std::size_t BytesOf(const model::ResultRecord& result) { return result.results.Bytes().size(); }
std::size_t BytesOf(const model::FailureRecord& failure) { return failure.record.size(); }
std::size_t BytesOf(const model::TimelineEvent& event) { return event.detail.size(); }

/// Calls read(row) for each row; the database is not touched by anybody else meanwhile.
template <typename Read>
Result<void> ForEachRow(const Database& database, const RowQuery& query, Read read) {
  Result<Statement> row = database.Prepare(query.sql);
  if (!row) return tl::unexpected(row.error());
  row->Bind(1, kBeforeFirstKey);
  for (;;) {
    const Result<bool> found = row->Step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return {};
    if (Result<void> done = read(*row); !done) return done;
  }
}

Result<void> LoadCompleted(const Database& database, std::int64_t task_count, JournalState& state) {
  constexpr RowQuery kRanges{
      "SELECT begin, \"end\", ended_ns FROM results WHERE begin > ?1 ORDER BY begin", 0};
  return ForEachRow(database, kRanges, [&](const Statement& row) -> Result<void> {
    const model::IndexRange range{row.Integer(0), row.Integer(1)};
    if (range.Empty() || range.begin < 0 || range.end > task_count ||
        state.completed.Overlaps(range)) {
      return Fail(ErrorCode::kInternal, "journal.db is damaged: results " +
                                            std::to_string(range.begin) + ".." +
                                            std::to_string(range.end) + " are not of this job");
    }
    state.completed.Insert(range);
    state.active = std::max(state.active, Duration{row.Integer(2)});
    return {};
  });
}

Result<void> LoadFailures(const Database& database, std::int64_t task_count, JournalState& state) {
  return ForEachRow(database, kSelectFailures, [&](const Statement& row) -> Result<void> {
    Result<model::FailureRecord> failure = ReadFailure(row);
    if (!failure) return tl::unexpected(failure.error());
    if (failure->index >= task_count) {
      return Fail(ErrorCode::kInternal, "journal.db is damaged: failed task " +
                                            std::to_string(failure->index) + " is not of this job");
    }
    state.failures.push_back(std::move(*failure));
    return {};
  });
}

Result<void> LoadEndOfEvents(const Database& database, JournalState& state) {
  return ForEachRow(database, kSelectEvents, [&](const Statement& row) -> Result<void> {
    const Result<model::TimelineEvent> event = ReadEvent(row);
    if (!event) return tl::unexpected(event.error());
    state.active = std::max(state.active, EndOf(*event));
    return {};
  });
}

Result<void> LoadVerification(const Database& database, JournalState& state) {
  Result<Statement> key = database.Prepare("SELECT draw_key FROM job");
  if (!key) return tl::unexpected(key.error());
  if (const Result<bool> found = key->Step(); !found) return tl::unexpected(found.error());
  state.draw_key = key->Bytes(0);
  const auto confirmation = [&](const Statement& row) -> Result<void> {
    if (!state.completed.Contains(row.Integer(0))) {
      return Fail(ErrorCode::kInternal, "journal.db is damaged: task " +
                                            std::to_string(row.Integer(0)) +
                                            " is confirmed and has no result");
    }
    state.confirmed.emplace(row.Integer(0), row.Bytes(1));
    return {};
  };
  const auto exclusion = [&](const Statement& row) -> Result<void> {
    Result<model::ExclusionRecord> record = ReadExclusion(row);
    if (!record) return tl::unexpected(record.error());
    state.exclusions.push_back(std::move(*record));
    return {};
  };
  return ForEachRow(database, kSelectConfirmations, confirmation).and_then([&] {
    return ForEachRow(database, kSelectExclusions, exclusion);
  });
}

Result<JournalState> LoadState(const Database& database, std::uint64_t epoch,
                               std::int64_t task_count) {
  JournalState state;
  state.epoch = epoch;
  Result<Statement> parameters = database.Prepare("SELECT parameters FROM job");
  if (!parameters) return tl::unexpected(parameters.error());
  if (const Result<bool> found = parameters->Step(); !found) return tl::unexpected(found.error());
  state.parameters = parameters->Bytes(0);
  const Result<std::int64_t> ended = database.Number("SELECT state FROM job");
  if (!ended) return tl::unexpected(ended.error());
  state.complete = *ended == static_cast<std::int64_t>(model::JobState::kComplete);
  const Result<void> loaded =
      LoadCompleted(database, task_count, state)
          .and_then([&] { return LoadFailures(database, task_count, state); })
          .and_then([&] { return LoadEndOfEvents(database, state); })
          .and_then([&] { return LoadVerification(database, state); });
  if (!loaded) return tl::unexpected(loaded.error());
  const auto start_of_rerun = ReadStartOfRerun(database);
  if (!start_of_rerun) return tl::unexpected(start_of_rerun.error());
  state.active_before_rerun = start_of_rerun->value_or(Duration::zero());
  state.active = std::max(state.active, state.active_before_rerun);
  if (state.active > kMaxActive) {
    return Fail(ErrorCode::kInternal, "journal.db is damaged: a time after more than 100 years");
  }
  return state;
}

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(std::unique_ptr<Database> database, RowWriter writer, JournalState state)
      : database_(std::move(database)), writer_(std::move(writer)), state_(std::move(state)) {}

  [[nodiscard]] const JournalState& State() const override { return state_; }

  Result<void> Append(const JournalRecords& records) override {
    if (records.Empty()) return {};
    const std::lock_guard lock(mutex_);
    Result<void> done = database_->Execute("BEGIN IMMEDIATE")
                            .and_then([&] { return WriteAll(records.exclusions); })
                            .and_then([&] { return WriteAll(records.results); })
                            .and_then([&] { return WriteAll(records.failures); })
                            .and_then([&] { return WriteAll(records.events); })
                            .and_then([&] { return WriteAll(records.confirmations); })
                            .and_then([&] { return database_->Execute("COMMIT"); });
    if (done) return done;
    EVENKEEL_CHECK(done.error().code != ErrorCode::kConflict, "a result was journaled twice");
    database_->RollBack();
    writer_.ForgetNodes();
    return done;
  }

  Result<void> Grow(const JobIdentity& identity) override {
    const std::lock_guard lock(mutex_);
    return GrowJob(*database_, "journal.db", identity);
  }

  Result<void> ForEachResult(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return Visit(kSelectResults, ReadResult, visit);
  }

  Result<void> ForEachRange(
      const std::function<Result<void>(const model::ResultRecord&)>& visit) const override {
    return Visit(kSelectRanges, ReadResult, visit);
  }

  Result<void> ForEachFinalFailure(
      const std::function<Result<void>(const model::FailureRecord&)>& visit) const override {
    return Visit(kSelectFinalFailures, ReadFailure, visit);
  }

  Result<void> ForEachEvent(
      const std::function<Result<void>(const model::TimelineEvent&)>& visit) const override {
    return Visit(kSelectEvents, ReadEvent, visit);
  }

  [[nodiscard]] Result<std::string> Copy(std::int64_t max_bytes) const override {
    const std::lock_guard lock(mutex_);
    return database_->Image(max_bytes);
  }

  [[nodiscard]] Result<ReduceHistory> ReadReduce(const std::string& command) const override {
    const std::lock_guard lock(mutex_);
    return ReadReduceRuns(*database_, command);
  }

  Result<void> BeginReduce(const std::string& command) override {
    const std::lock_guard lock(mutex_);
    return InsertReduceRun(*database_, command);
  }

  Result<void> EndReduce(const std::optional<model::ReduceRecord>& record) override {
    const std::lock_guard lock(mutex_);
    return EndReduceRun(*database_, record);
  }

  Result<void> ForgetFailedReduce() override {
    const std::lock_guard lock(mutex_);
    return RemoveFailedReduceRuns(*database_);
  }

  Result<void> MarkEnded(model::JobState state) override {
    const std::lock_guard lock(mutex_);
    // A rerun that was interrupted continues with the next start.
    const bool is_over = state != model::JobState::kInterrupted;
    Result<void> done =
        database_->Execute("BEGIN IMMEDIATE")
            .and_then([&] { return WriteState(state); })
            .and_then([&] {
              return is_over ? database_->Execute("UPDATE reruns SET ended = 1") : Result<void>();
            })
            .and_then([&] { return database_->Execute("COMMIT"); });
    if (!done) database_->RollBack();
    return done;
  }

 private:
  Result<void> WriteState(model::JobState state) {
    Result<Statement> update = database_->Prepare("UPDATE job SET state = ?");
    if (!update) return tl::unexpected(update.error());
    update->Bind(1, static_cast<std::int64_t>(state));
    return update->Run();
  }

  template <typename Record>
  Result<void> WriteAll(const std::vector<Record>& records) {
    for (const Record& record : records) {
      if (Result<void> written = writer_.Write(record); !written) return written;
    }
    return {};
  }

  /// Visits page after page. The writer goes on between pages; what it appends behind the current
  /// page is visited, too.
  template <typename Record>
  Result<void> Visit(const RowQuery& query, Result<Record> (*read)(const Statement&),
                     const std::function<Result<void>(const Record&)>& visit) const {
    std::int64_t last_key = kBeforeFirstKey;
    for (;;) {
      const Result<std::vector<Record>> page = ReadPage(query, read, last_key);
      if (!page) return tl::unexpected(page.error());
      if (page->empty()) return {};
      for (const Record& record : *page) {
        if (Result<void> visited = visit(record); !visited) return visited;
      }
    }
  }

  /// The next rows after `last_key`, which becomes the key of the last of them. No statement stays
  /// open, as that would keep SQLite from emptying the write-ahead log.
  template <typename Record>
  Result<std::vector<Record>> ReadPage(const RowQuery& query,
                                       Result<Record> (*read)(const Statement&),
                                       std::int64_t& last_key) const {
    const std::lock_guard lock(mutex_);
    Result<Statement> row = database_->Prepare(query.sql);
    if (!row) return tl::unexpected(row.error());
    row->Bind(1, last_key);
    std::vector<Record> page;
    for (std::size_t bytes = 0; page.size() < kMaxPageRows && bytes < kMaxPageBytes;) {
      const Result<bool> found = row->Step();
      if (!found) return tl::unexpected(found.error());
      if (!*found) break;
      Result<Record> record = read(*row);
      if (!record) return tl::unexpected(record.error());
      last_key = row->Integer(query.key_column);
      bytes += BytesOf(*record);
      page.push_back(std::move(*record));
    }
    return page;
  }

  mutable FairMutex mutex_;  // guards the connection and its statements
  std::unique_ptr<Database> database_;
  RowWriter writer_;
  const JournalState state_;
};

}  // namespace

Result<std::unique_ptr<Journal>> Journal::Open(const std::filesystem::path& folder,
                                               const JobIdentity& identity, CompleteJob complete,
                                               ResultSizes sizes,
                                               const std::optional<model::RerunSelection>& rerun) {
  std::error_code ignored;  // the next call reports what is wrong with the folder
  if (rerun && !std::filesystem::exists(folder / "journal.db", ignored)) {
    return InvalidInput(folder.string() +
                        ": has no journal.db; only the folder of an earlier run can be rerun");
  }
  std::filesystem::create_directories(folder, ignored);
  if (const auto locks = CheckThatFolderLocks(folder); !locks) return tl::unexpected(locks.error());

  const std::filesystem::path file = folder / "journal.db";
  const Result<bool> made = CreateJournalIfMissing(file, identity, sizes);
  if (!made) return tl::unexpected(made.error());
  Result<std::unique_ptr<Database>> database = Database::Open(file);
  if (!database) return tl::unexpected(database.error());
  const Result<std::uint64_t> epoch = ClaimJournal(**database, file, identity, complete, *made);
  if (!epoch) return tl::unexpected(epoch.error());
  (*database)->CheckpointOnClose();
  // A checkpoint would write large results a second time while tasks run. It is left to the end.
  if (sizes == ResultSizes::kLarge) {
    const auto kept = (*database)->Execute("PRAGMA wal_autocheckpoint = 0");
    if (!kept) return tl::unexpected(kept.error());
  }

  if (rerun) {
    const auto taken = TakeBackTasks(**database, file.string(), *rerun);
    if (!taken) return tl::unexpected(taken.error());
  }
  Result<JournalState> state = LoadState(**database, *epoch, identity.task_count);
  if (!state) return tl::unexpected(state.error());
  Result<RowWriter> writer = RowWriter::Make(**database);
  if (!writer) return tl::unexpected(writer.error());
  return std::make_unique<SqliteJournal>(std::move(*database), std::move(*writer),
                                         std::move(*state));
}

Result<model::RangeSet> CompletedTasks(const JournalReader& journal) {
  model::RangeSet completed;
  const auto read =
      journal.ForEachRange([&completed](const model::ResultRecord& record) -> Result<void> {
        completed.Insert(record.range);
        return {};
      });
  if (!read) return tl::unexpected(read.error());
  return completed;
}

}  // namespace evenkeel::coordinator
