#include "coordinator/journal_format.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "platform/files.h"

namespace evenkeel::coordinator {
namespace {

/// `draw_key` decides which results are verified; no worker knows it. SQLite takes its random
/// numbers from a generator that the kernel's seeds. `confirmations`: `second` is the node that
/// gave the same result as the one in `results`. `exclusions`: nodes whose results were removed.
/// Times are nanoseconds on the job's time line. `sizes` is NULL if all results of the range have
/// `equal_size` bytes, else one little-endian 32-bit number per task. Kinds and states have the
/// numbers of core/model/run_record.h.
constexpr const char* kTables = R"sql(
  CREATE TABLE job(
    name TEXT NOT NULL, workload TEXT NOT NULL, workload_version INTEGER NOT NULL,
    parameters TEXT NOT NULL, task_count INTEGER NOT NULL,
    epoch INTEGER NOT NULL, state INTEGER NOT NULL, inputs TEXT NOT NULL DEFAULT '',
    draw_key BLOB);
  CREATE TABLE nodes(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE results(
    begin INTEGER PRIMARY KEY, "end" INTEGER NOT NULL, node INTEGER NOT NULL,
    started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL, busy_ns INTEGER NOT NULL,
    kind INTEGER NOT NULL, equal_size INTEGER NOT NULL, sizes BLOB, bytes BLOB NOT NULL);
  CREATE TABLE failures(
    id INTEGER PRIMARY KEY, task INTEGER NOT NULL, node INTEGER NOT NULL, reason TEXT NOT NULL,
    attempt INTEGER NOT NULL, final INTEGER NOT NULL, exit_code INTEGER, record BLOB);
  CREATE TABLE events(
    id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL, sigma_ns INTEGER NOT NULL, node INTEGER NOT NULL,
    from_node INTEGER NOT NULL, tasks INTEGER NOT NULL, detail TEXT NOT NULL);
)sql";

/// The tables that came with format 3.
constexpr const char* kVerificationTables = R"sql(
  CREATE TABLE confirmations(task INTEGER PRIMARY KEY, second INTEGER NOT NULL);
  CREATE TABLE exclusions(
    node INTEGER PRIMARY KEY, task INTEGER NOT NULL, reason TEXT NOT NULL,
    revoked INTEGER NOT NULL);
)sql";

/// The tasks that run again, as model::ToString(RerunSelection) writes them. The last row is the
/// only one that may not have `ended`. Programs that do not know the table read the rest correctly.
constexpr const char* kRerunTable = R"sql(
  CREATE TABLE IF NOT EXISTS reruns(
    tasks TEXT NOT NULL, began_ns INTEGER NOT NULL, ended INTEGER NOT NULL);
)sql";

/// Converts format 1, in which failures had no exit code and tasks had no inputs.
constexpr const char* kFromFormat1 = R"sql(
  BEGIN IMMEDIATE;
  ALTER TABLE job ADD COLUMN inputs TEXT NOT NULL DEFAULT '';
  ALTER TABLE failures ADD COLUMN exit_code INTEGER;
  ALTER TABLE failures ADD COLUMN record BLOB;
  PRAGMA user_version = 2;
  COMMIT;
)sql";

/// Converts format 2, in which results were not verified.
std::string FromFormat2() {
  return std::string(
             "BEGIN IMMEDIATE; ALTER TABLE job ADD COLUMN draw_key BLOB;"
             "UPDATE job SET draw_key = randomblob(16);") +
         kVerificationTables + "PRAGMA user_version = 3; COMMIT";
}

std::string Shortened(const std::string& text) {
  constexpr std::size_t kShown = 120;
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

std::string Describe(const JobIdentity& job) {
  return "job \"" + job.job + "\" (" + job.workload + " version " +
         std::to_string(job.workload_version) + ", " + std::to_string(job.task_count) + " tasks)";
}

/// Lists what differs between two identities; "" if nothing does.
std::string Differences(const JobIdentity& there, const JobIdentity& here) {
  std::string list;
  const auto add = [&list](const char* what) {
    list += (list.empty() ? "" : ", ") + std::string(what);
  };
  if (there.job != here.job) add("name");
  if (there.workload != here.workload) add("workload");
  if (there.workload_version != here.workload_version) add("workload version");
  if (there.task_count != here.task_count) add("number of tasks");
  if (there.parameters != here.parameters) {
    add("parameters");
    list += " " + Shortened(there.parameters) + " against " + Shortened(here.parameters);
  }
  if (there.inputs != here.inputs) add("inputs of the tasks (a file of them has changed)");
  return list;
}

Result<JobIdentity> ReadIdentity(const Database& database, std::int64_t format) {
  const std::string inputs = format >= 2 ? "inputs" : "''";
  Result<Statement> row = database.Prepare(
      "SELECT name, workload, workload_version, parameters, task_count, " + inputs + " FROM job");
  if (!row) return tl::unexpected(row.error());
  const Result<bool> found = row->Step();
  if (!found) return tl::unexpected(found.error());
  JobIdentity identity;
  identity.job = row->Bytes(0);
  identity.workload = row->Bytes(1);
  identity.workload_version = static_cast<std::uint32_t>(row->Integer(2));
  identity.parameters = row->Bytes(3);
  identity.task_count = row->Integer(4);
  identity.inputs = row->Bytes(5);
  return identity;
}

Result<void> InsertJob(const Database& database, const JobIdentity& identity) {
  Result<Statement> row =
      database.Prepare("INSERT INTO job VALUES(?, ?, ?, ?, ?, 1, ?, ?, randomblob(16))");
  if (!row) return tl::unexpected(row.error());
  row->BindText(1, identity.job);
  row->BindText(2, identity.workload);
  row->Bind(3, identity.workload_version);
  row->BindText(4, identity.parameters);
  row->Bind(5, identity.task_count);
  row->Bind(6, static_cast<std::int64_t>(model::JobState::kRunning));
  row->BindText(7, identity.inputs);
  return row->Run();
}

/// Fills an empty database, without syncs: PublishJournal syncs the file as a whole.
Result<void> CreateTables(const Database& database, const JobIdentity& identity,
                          ResultSizes sizes) {
  const std::string marks = "PRAGMA application_id = " + std::to_string(kJournalApplicationId) +
                            "; PRAGMA user_version = " + std::to_string(kJournalFormat);
  return database.Execute(sizes == ResultSizes::kLarge ? "PRAGMA page_size = 65536" : "")
      .and_then([&] {
        return database.Execute(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF;"
            "PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE");
      })
      .and_then([&] { return database.Execute(kTables); })
      .and_then([&] { return database.Execute(kVerificationTables); })
      .and_then([&] { return database.Execute(kRerunTable); })
      .and_then([&] { return database.Execute(marks.c_str()); })
      .and_then([&] { return InsertJob(database, identity); })
      .and_then([&] { return database.Execute("COMMIT; PRAGMA journal_mode = WAL"); });
}

Error CannotCreate(const std::filesystem::path& file, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return NoSpaceLeft(file.string());
  return {ErrorCode::kUnavailable, file.string() + " cannot be created: " + std::strerror(error)};
}

/// Makes the names of `folder` and of the folders above it durable: any of them may have been
/// created for this journal. Stops where the disk or the right to read ends. Returns 0 or errno.
int SyncFoldersAbove(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path below = std::filesystem::canonical(folder, error);
  struct stat status {};
  if (error) return error.value();
  if (stat(below.c_str(), &status) != 0) return errno;
  const dev_t disk = status.st_dev;
  for (std::filesystem::path above = below.parent_path(); above != below;
       above = above.parent_path()) {
    if (stat(above.c_str(), &status) != 0 || status.st_dev != disk) return 0;
    if (const int unsynced = platform::SyncPath(above)) {
      return unsynced == EACCES || unsynced == EPERM ? 0 : unsynced;
    }
    below = above;
  }
  return 0;
}

/// Gives `draft` the name `file` unless that exists. Returns 0 or errno.
int LinkOrRename(const std::filesystem::path& draft, const std::filesystem::path& file) {
  if (link(draft.c_str(), file.c_str()) == 0) return 0;
  if (errno == EEXIST) return EEXIST;
  // File systems without hard links, such as FAT on a memory card.
  const bool named =
      renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0;
  return named ? 0 : errno;
}

Result<void> WriteDraft(const std::filesystem::path& draft, const JobIdentity& identity,
                        ResultSizes sizes) {
  const Result<std::unique_ptr<Database>> database = Database::Open(draft);
  if (!database) return tl::unexpected(database.error());
  (*database)->CheckpointOnClose();
  return CreateTables(**database, identity, sizes);
}

Result<void> CheckFormat(std::int64_t application_id, std::int64_t format,
                         const std::string& file) {
  if (application_id != kJournalApplicationId) {
    return Fail(ErrorCode::kConflict, file +
                                          " exists and is not a journal; move it away or use "
                                          "another folder");
  }
  if (format > kJournalFormat) {
    return Fail(ErrorCode::kConflict, file + ": format " + std::to_string(format) +
                                          " is newer than this program understands (" +
                                          std::to_string(kJournalFormat) +
                                          "); use the release that wrote it, or another folder");
  }
  return {};
}

/// Compares the job of the database with `here`: true if tasks were appended, false if they are the
/// same, kConflict otherwise.
Result<bool> CheckOwner(const Database& database, std::int64_t format, const std::string& file,
                        const JobIdentity& here) {
  const Result<JobIdentity> there = ReadIdentity(database, format);
  if (!there) return tl::unexpected(there.error());
  const std::string differences = Differences(*there, here);
  if (differences.empty()) return false;
  if (here.continues && here.continues(*there)) return true;
  const std::string allowed =
      here.continues ? "; tasks may only be appended at the end, else use another folder"
                     : std::string(kUseAnotherFolder);
  return Fail(ErrorCode::kConflict, file + " belongs to " + Describe(*there) + ", not to " +
                                        Describe(here) + ": they differ in " + differences +
                                        allowed);
}

/// Removes the empty write-ahead log that SQLite creates when it reads a journal without one. The
/// caller has the lock.
void RemoveEmptyLog(std::filesystem::path file) {
  file += "-wal";
  std::error_code error;
  if (std::filesystem::file_size(file, error) == 0 && !error) {
    std::filesystem::remove(file, error);
  }
}

}  // namespace

Result<bool> PublishJournal(const std::filesystem::path& draft, const std::filesystem::path& file) {
  if (const int error = platform::SyncPath(draft)) return tl::unexpected(CannotCreate(file, error));
  const int error = LinkOrRename(draft, file);
  if (error == EEXIST) return false;
  if (error != 0) return tl::unexpected(CannotCreate(file, error));
  int unsynced = platform::SyncPath(file.parent_path());
  if (unsynced == 0) unsynced = SyncFoldersAbove(file.parent_path());
  if (unsynced != 0) return tl::unexpected(CannotCreate(file, unsynced));
  return true;
}

Result<void> CheckJournal(const Database& database, const std::string& shown,
                          const JobIdentity& identity) {
  const Result<std::int64_t> application_id = database.Number("PRAGMA application_id");
  if (!application_id) return tl::unexpected(application_id.error());
  const Result<std::int64_t> format = database.Number("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());
  return CheckFormat(*application_id, *format, shown).and_then([&]() -> Result<void> {
    const Result<bool> checked = CheckOwner(database, *format, shown, identity);
    return checked ? Result<void>() : tl::unexpected(checked.error());
  });
}

Result<void> GrowJob(const Database& database, const std::string& shown,
                     const JobIdentity& identity) {
  const Result<bool> grown = CheckOwner(database, kJournalFormat, shown, identity);
  if (!grown) return tl::unexpected(grown.error());
  if (!*grown) return {};
  Result<Statement> row =
      database.Prepare("UPDATE job SET parameters = ?, task_count = ?, inputs = ?, state = ?");
  if (!row) return tl::unexpected(row.error());
  row->BindText(1, identity.parameters);
  row->Bind(2, identity.task_count);
  row->BindText(3, identity.inputs);
  row->Bind(4, static_cast<std::int64_t>(model::JobState::kRunning));
  return row->Run();
}

Result<std::unique_ptr<JournalDraft>> JournalDraft::Create(const std::filesystem::path& folder) {
  std::string name = (folder / ".journal-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) return tl::unexpected(CannotCreate(folder / "journal.db", errno));
  close(fd);
  return std::unique_ptr<JournalDraft>(new JournalDraft(name));
}

JournalDraft::~JournalDraft() {
  for (const char* ending : {"", "-wal", "-shm"}) unlink((file_.string() + ending).c_str());
}

Result<bool> CreateJournalIfMissing(const std::filesystem::path& file, const JobIdentity& identity,
                                    ResultSizes sizes) {
  if (access(file.c_str(), F_OK) == 0) return false;
  const auto draft = JournalDraft::Create(file.parent_path());
  if (!draft) return tl::unexpected(draft.error());
  return WriteDraft((*draft)->File(), identity, sizes).and_then([&] {
    return PublishJournal((*draft)->File(), file);
  });
}

Result<std::uint64_t> ClaimJournal(const Database& database, const std::filesystem::path& file,
                                   const JobIdentity& identity, CompleteJob complete,
                                   bool made_for_this_start) {
  // 1. Lock out other processes. The index of the write-ahead log then needs no shared memory.
  Result<void> done =
      database.Execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL");
  if (!done) return tl::unexpected(done.error());

  // 2. Check that it is a journal of this job.
  done = CheckJournal(database, file.string(), identity);
  if (!done) {
    if (done.error().code != ErrorCode::kInUse) RemoveEmptyLog(file);
    return tl::unexpected(done.error());
  }

  // 3. Empty the write-ahead log of a start that was interrupted. SQLite would go on behind its
  // last transaction, perhaps in the same sector, and a disk that loses power while it writes a
  // sector may lose all of it: transactions that this start has read, and maybe acknowledged.
  done = database.Execute("PRAGMA wal_checkpoint");
  if (!done) return tl::unexpected(done.error());

  const Result<std::int64_t> format = database.Number("PRAGMA user_version");
  if (!format) return tl::unexpected(format.error());
  if (*format < 2) done = database.Execute(kFromFormat1);
  if (done && *format < 3) done = database.Execute(FromFormat2().c_str());
  if (done) done = database.Execute(kRerunTable);
  if (!done) return tl::unexpected(done.error());

  // 4. Record tasks that were appended since.
  const Result<std::int64_t> state = database.Number("SELECT state FROM job");
  if (!state) return tl::unexpected(state.error());
  const bool stays = complete == CompleteJob::kStays &&
                     *state == static_cast<std::int64_t>(model::JobState::kComplete);
  if (!stays) done = GrowJob(database, file.string(), identity);
  if (!done) return tl::unexpected(done.error());

  // 5. Increment the epoch. A journal that this start created, and that no other has claimed since,
  // already has the right one, which saves three syncs.
  const Result<std::int64_t> epoch = database.Number("SELECT epoch FROM job");
  if (!epoch) return tl::unexpected(epoch.error());
  if (made_for_this_start && *epoch == 1) return std::uint64_t{1};
  done = database.Execute("UPDATE job SET epoch = epoch + 1");
  if (!done) return tl::unexpected(done.error());
  return static_cast<std::uint64_t>(*epoch) + 1;
}

}  // namespace evenkeel::coordinator
