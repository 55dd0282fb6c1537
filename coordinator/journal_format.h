#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "coordinator/journal.h"
#include "coordinator/sqlite_database.h"

/// The format of journal.db: how a journal is created, checked and claimed by a start of its job.
namespace evenkeel::coordinator {

/// PRAGMA application_id: "EvKl".
inline constexpr std::int64_t kJournalApplicationId = 0x45764b6c;
/// PRAGMA user_version. Incremented with every change that an older program would misread.
inline constexpr std::int64_t kJournalFormat = 3;

/// Advice at the end of messages about a journal of another job.
inline constexpr std::string_view kUseAnotherFolder = "; use another folder";

/// A hidden file in the folder of a journal, in which that is written before it gets its name. The
/// destructor removes it and what SQLite leaves beside it.
class JournalDraft {
 public:
  /// An empty file. kStorageFull, kUnavailable.
  [[nodiscard]] static Result<std::unique_ptr<JournalDraft>> Create(
      const std::filesystem::path& folder);
  JournalDraft(const JournalDraft&) = delete;
  JournalDraft& operator=(const JournalDraft&) = delete;
  ~JournalDraft();

  [[nodiscard]] const std::filesystem::path& File() const { return file_; }

 private:
  explicit JournalDraft(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
};

/// Creates a journal with epoch 1 if `file` does not exist, atomically and durably. Returns whether
/// it did. An interruption leaves at most a hidden draft beside it.
[[nodiscard]] Result<bool> CreateJournalIfMissing(const std::filesystem::path& file,
                                                  const JobIdentity& identity,
                                                  ResultSizes sizes = ResultSizes::kSmall);

/// Gives a closed draft of a journal the name `file`, atomically and durably. False if `file`
/// exists.
[[nodiscard]] Result<bool> PublishJournal(const std::filesystem::path& draft,
                                          const std::filesystem::path& file);

/// Checks that the database is a journal of this job, perhaps with fewer tasks, in a known format;
/// kConflict, beginning with `shown`, if it is not.
[[nodiscard]] Result<void> CheckJournal(const Database& database, const std::string& shown,
                                        const JobIdentity& identity);

/// Locks the file, checks it as CheckJournal does, converts an older format to this one, records
/// tasks that were appended to the job, and increments the epoch. Returns the epoch. All of this is
/// durable on return; on kConflict and kInUse nothing was changed. `made_for_this_start`: this
/// start created the journal, so that epoch 1 is its own.
[[nodiscard]] Result<std::uint64_t> ClaimJournal(const Database& database,
                                                 const std::filesystem::path& file,
                                                 const JobIdentity& identity, CompleteJob complete,
                                                 bool made_for_this_start);

/// Records, durably, that the job is running and has the tasks of `identity`. kConflict, beginning
/// with `shown`, if that is not the same job with tasks appended.
[[nodiscard]] Result<void> GrowJob(const Database& database, const std::string& shown,
                                   const JobIdentity& identity);

}  // namespace evenkeel::coordinator
