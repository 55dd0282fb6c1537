#include "coordinator/rerun.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>
#include <vector>

#include "coordinator/journal_format.h"
#include "coordinator/journal_rows.h"
#include "coordinator/reduce_rows.h"
#include "core/base/printable.h"
#include "core/model/range_set.h"

namespace evenkeel::coordinator {
namespace {

using std::filesystem::path;

/// The tasks that failed for good and have no result. Parameter 1 is the greatest key not wanted.
constexpr const char* kSelectFailed =
    "SELECT DISTINCT task FROM failures WHERE final AND NOT EXISTS(SELECT 1 FROM results WHERE"
    " begin = (SELECT MAX(begin) FROM results WHERE begin <= task) AND \"end\" > task)";

/// The latest time of the job's time line that its rows prove. As the end of a prediction has not
/// passed, its start counts.
constexpr const char* kLatestTime =
    "SELECT MAX(COALESCE((SELECT MAX(ended_ns) FROM results), 0),"
    " COALESCE((SELECT MAX(CASE kind WHEN 3 THEN start_ns ELSE MAX(start_ns, end_ns) END)"
    " FROM events), 0))";
static_assert(static_cast<int>(model::TimelineEvent::Kind::kEta) == 3);

/// The part of a row that has the results of `range`, with its share of the row's times.
model::ResultRecord PartOf(const model::ResultRecord& row, model::IndexRange range) {
  const auto share_before = [&row](model::TaskIndex index) {
    return static_cast<double>(index - row.range.begin) / static_cast<double>(row.range.Size());
  };
  const auto share_of = [](Duration whole, double share) {
    return std::chrono::duration_cast<Duration>(whole * share);
  };
  const double begin = share_before(range.begin);
  const double end = share_before(range.end);
  model::ResultRecord part;
  part.range = range;
  part.node = row.node;
  part.started = row.started + share_of(row.ended - row.started, begin);
  part.ended = row.started + share_of(row.ended - row.started, end);
  part.busy = share_of(row.busy, end - begin);
  part.kind = row.kind;
  part.results = row.results.Slice(range.begin - row.range.begin, range.end - row.range.begin);
  return part;
}

/// Removes tasks from the tables, within the caller's transaction.
class TaskRemover {
 public:
  static Result<TaskRemover> Make(const Database& database) {
    auto writer = RowWriter::Make(database);
    if (!writer) return tl::unexpected(writer.error());
    TaskRemover remover(std::move(*writer));
    const std::pair<Statement*, const char*> all[] = {
        {&remover.whole_rows_,
         "DELETE FROM results WHERE begin >= ?1 AND begin < ?2 AND \"end\" <= ?2"},
        {&remover.first_row_, kSelectFirstOverlap},
        {&remover.one_row_, "DELETE FROM results WHERE begin = ?1"},
        {&remover.failures_, "DELETE FROM failures WHERE task >= ?1 AND task < ?2"},
        {&remover.confirmations_, "DELETE FROM confirmations WHERE task >= ?1 AND task < ?2"},
    };
    for (const auto& [statement, sql] : all) {
      auto prepared = database.Prepare(sql);
      if (!prepared) return tl::unexpected(prepared.error());
      *statement = std::move(*prepared);
    }
    return remover;
  }

  Result<void> Remove(model::IndexRange range) {
    for (Statement* const removal : {&failures_, &confirmations_, &whole_rows_}) {
      Bind(*removal, range);
      if (auto removed = removal->Run(); !removed) return removed;
    }
    for (;;) {
      const auto row = FirstOverlap(range);
      if (!row) return tl::unexpected(row.error());
      if (!*row) return {};
      if (auto divided = Divide(**row, range); !divided) return divided;
    }
  }

 private:
  explicit TaskRemover(RowWriter writer) : writer_(std::move(writer)) {}

  static void Bind(Statement& statement, model::IndexRange range) {
    statement.Bind(1, range.begin);
    statement.Bind(2, range.end);
  }

  Result<std::optional<model::ResultRecord>> FirstOverlap(model::IndexRange range) {
    Bind(first_row_, range);
    const auto found = first_row_.Step();
    if (!found) return tl::unexpected(found.error());
    std::optional<model::ResultRecord> row;
    if (*found) {
      auto read = ReadResult(first_row_);
      if (!read) return tl::unexpected(read.error());
      row = std::move(*read);
    }
    first_row_.Reset();
    return row;
  }

  /// Replaces the row by its parts before and behind `range`.
  Result<void> Divide(const model::ResultRecord& row, model::IndexRange range) {
    one_row_.Bind(1, row.range.begin);
    if (auto removed = one_row_.Run(); !removed) return removed;
    for (const model::IndexRange part : {model::IndexRange{row.range.begin, range.begin},
                                         model::IndexRange{range.end, row.range.end}}) {
      if (part.Empty()) continue;
      if (auto written = writer_.Write(PartOf(row, part)); !written) return written;
    }
    return {};
  }

  RowWriter writer_;
  Statement whole_rows_;
  Statement first_row_;
  Statement one_row_;
  Statement failures_;
  Statement confirmations_;
};

Result<model::RangeSet> FailedTasks(const Database& database) {
  auto row = database.Prepare(kSelectFailed);
  if (!row) return tl::unexpected(row.error());
  model::RangeSet failed;
  for (;;) {
    const auto found = row->Step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return failed;
    failed.Insert({row->Integer(0), row->Integer(0) + 1});
  }
}

/// The selection of the rerun that has not ended; nothing if there is none.
Result<std::optional<std::string>> UnfinishedSelection(const Database& database) {
  auto row = database.Prepare("SELECT tasks FROM reruns WHERE NOT ended");
  if (!row) return tl::unexpected(row.error());
  const auto found = row->Step();
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::optional<std::string>();
  return std::optional(std::string(row->Bytes(0)));
}

Result<void> RecordRerun(const Database& database, const model::RerunSelection& selection,
                         std::int64_t began_ns) {
  auto state = database.Prepare("UPDATE job SET state = ?");
  if (!state) return tl::unexpected(state.error());
  state->Bind(1, static_cast<std::int64_t>(model::JobState::kRunning));
  if (auto updated = state->Run(); !updated) return updated;
  auto rerun = database.Prepare("INSERT INTO reruns VALUES(?, ?, 0)");
  if (!rerun) return tl::unexpected(rerun.error());
  const std::string text = ToString(selection);
  rerun->BindText(1, text);
  rerun->Bind(2, began_ns);
  return rerun->Run();
}

Result<void> Remove(const Database& database, const model::RangeSet& tasks) {
  auto remover = TaskRemover::Make(database);
  if (!remover) return tl::unexpected(remover.error());
  for (const model::IndexRange range : tasks.Ranges()) {
    if (auto removed = remover->Remove(range); !removed) return removed;
  }
  return {};
}

}  // namespace

Result<void> TakeBackTasks(Database& database, const std::string& shown,
                           const model::RerunSelection& selection) {
  const auto unfinished = UnfinishedSelection(database);
  if (!unfinished) return tl::unexpected(unfinished.error());
  if (*unfinished) {
    if (**unfinished == ToString(selection)) return {};
    constexpr std::size_t kMaxShown = 80;
    return Fail(ErrorCode::kConflict, shown + ": a rerun of the tasks \"" +
                                          PrintableAscii(**unfinished, kMaxShown) +
                                          "\" has not ended; let that go on first");
  }
  const auto failed = selection.indexes ? model::RangeSet() : FailedTasks(database);
  if (!failed) return tl::unexpected(failed.error());
  const model::RangeSet& tasks = selection.indexes ? *selection.indexes : *failed;
  const auto state = database.Number("SELECT state FROM job");
  if (!state) return tl::unexpected(state.error());
  const bool complete = *state == static_cast<std::int64_t>(model::JobState::kComplete);
  if (complete && tasks.Empty()) return {};
  const auto began_ns = database.Number(kLatestTime);
  if (!began_ns) return tl::unexpected(began_ns.error());

  auto done = database.Execute("BEGIN IMMEDIATE")
                  .and_then([&] { return Remove(database, tasks); })
                  .and_then([&] { return RemoveReduceRuns(database); })
                  .and_then([&] { return RecordRerun(database, selection, *began_ns); })
                  .and_then([&] { return database.Execute("COMMIT"); });
  if (!done) database.RollBack();
  return done;
}

Result<std::optional<Duration>> ReadStartOfRerun(const Database& database) {
  auto row = database.Prepare("SELECT began_ns FROM reruns WHERE NOT ended");
  if (!row) return tl::unexpected(row.error());
  const auto found = row->Step();
  if (!found) return tl::unexpected(found.error());
  if (!*found) return std::optional<Duration>();
  return std::optional(Duration{row->Integer(0)});
}

namespace {

/// Times and sizes of a journal's files; they change when the files are written.
using FileState = std::array<std::pair<std::filesystem::file_time_type, std::uintmax_t>, 2>;

FileState StateOf(const path& journal) {
  FileState state{};
  std::error_code ignored;  // of a file that does not exist
  for (std::size_t i = 0; i < state.size(); ++i) {
    const path file = journal.string() + (i == 0 ? "" : "-wal");
    state[i] = {std::filesystem::last_write_time(file, ignored),
                std::filesystem::file_size(file, ignored)};
  }
  return state;
}

/// Copies a journal without locking it, as the process of a job that has ended holds the lock until
/// the job is deleted. The write-ahead log comes first: all that is merged into the database
/// meanwhile is in the copy of the log, too.
Result<void> CopyFiles(const path& journal, const path& draft) {
  const FileState before = StateOf(journal);
  const auto copy = [&](const char* ending) {
    std::error_code error;
    std::filesystem::copy_file(journal.string() + ending, draft.string() + ending,
                               std::filesystem::copy_options::overwrite_existing, error);
    return error;
  };
  std::error_code error = copy("-wal");
  if (error == std::errc::no_such_file_or_directory) error.clear();
  if (!error) error = copy("");
  if (error == std::errc::no_space_on_device) {
    return tl::unexpected(NoSpaceLeft(draft.parent_path().string()));
  }
  if (error) {
    return Fail(ErrorCode::kUnavailable,
                journal.string() + " cannot be copied: " + error.message());
  }
  if (StateOf(journal) == before) return {};
  return Fail(ErrorCode::kUnavailable, journal.string() + " is being written");
}

Result<void> CheckContent(const Database& database) {
  auto checked = database.Prepare("PRAGMA quick_check(1)");
  if (!checked) return tl::unexpected(checked.error());
  const auto row = checked->Step();
  if (!row) return tl::unexpected(row.error());
  if (*row && checked->Bytes(0) == "ok") return {};
  return Fail(ErrorCode::kInternal, "it is damaged");
}

Result<void> Rename(const Database& database, const std::string& job) {
  auto update = database.Prepare("UPDATE job SET name = ?, epoch = 0");
  if (!update) return tl::unexpected(update.error());
  update->BindText(1, job);
  return update->Run();
}

/// Makes the copy of the earlier journal, whose path is `shown`, that of the new job.
Result<void> Convert(const path& draft, const std::string& shown, const JobIdentity& identity,
                     const model::RerunSpec& rerun) {
  JobIdentity earlier = identity;
  earlier.job = rerun.job;
  earlier.continues = nullptr;
  const auto database = Database::Open(draft);
  if (!database) return tl::unexpected(database.error());
  (*database)->CheckpointOnClose();
  return (*database)
      ->Execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL")
      .and_then([&] { return CheckJournal(**database, shown, earlier); })
      .and_then([&] { return CheckContent(**database); })
      .and_then([&]() -> Result<void> {
        const auto claimed =
            ClaimJournal(**database, draft, earlier, CompleteJob::kStays, /*made=*/false);
        return claimed ? Result<void>() : tl::unexpected(claimed.error());
      })
      .and_then([&] { return TakeBackTasks(**database, shown, rerun.tasks); })
      .and_then([&] { return Rename(**database, identity.job); });
}

}  // namespace

Result<void> SeedFromEarlierJob(const path& earlier, const path& folder,
                                const JobIdentity& identity, const model::RerunSpec& rerun) {
  const path file = folder / "journal.db";
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error))) return {};
  std::filesystem::create_directories(folder, error);

  const path source = earlier / "journal.db";
  if (!std::filesystem::is_regular_file(source, error)) {
    return InvalidInput(source.string() + ": does not exist: the job " + rerun.job +
                        " has left no results there");
  }
  const auto draft = JournalDraft::Create(folder);
  if (!draft) return tl::unexpected(draft.error());
  if (auto copied = CopyFiles(source, (*draft)->File()); !copied) return copied;
  if (auto converted = Convert((*draft)->File(), source.string(), identity, rerun); !converted) {
    const ErrorCode code = converted.error().code;
    if (code == ErrorCode::kStorageFull || code == ErrorCode::kUnavailable) return converted;
    std::string message = converted.error().message;
    if (message.ends_with(kUseAnotherFolder)) {
      message.resize(message.size() - kUseAnotherFolder.size());
    }
    const bool names_file = message.starts_with(source.string());
    return InvalidInput(names_file ? message : source.string() + ": is damaged");
  }
  const auto published = PublishJournal((*draft)->File(), file);
  if (!published) return tl::unexpected(published.error());
  return {};
}

}  // namespace evenkeel::coordinator
