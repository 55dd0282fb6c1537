#pragma once

#include <cstdint>
#include <filesystem>

#include "coordinator/journal.h"
#include "coordinator/sqlite_database.h"

/// The tables of journal.db and who may open them.
namespace evenkeel::coordinator {

/// PRAGMA application_id: "EvKl".
inline constexpr std::int64_t kJournalApplicationId = 0x45764b6c;
/// PRAGMA user_version. Raised whenever an older program could not read the tables rightly.
inline constexpr std::int64_t kJournalFormat = 2;

/// Makes a durable journal of epoch 1 where there is none; true if it did. It appears whole or not
/// at all: what is cut short leaves at most a hidden draft beside it.
[[nodiscard]] Result<bool> CreateJournalIfMissing(const std::filesystem::path& file,
                                                  const JobIdentity& identity,
                                                  ResultSizes sizes = ResultSizes::kSmall);

/// Gives a closed file that holds a journal the name `file`, durably. False if somebody else has
/// put a journal there meanwhile.
[[nodiscard]] Result<bool> PublishJournal(const std::filesystem::path& draft,
                                          const std::filesystem::path& file);

/// Whether the database is a journal of this job in a known format; kConflict, beginning with
/// `shown`, if it is not.
[[nodiscard]] Result<void> CheckJournal(const Database& database, const std::string& shown,
                                        const JobIdentity& identity);

/// Takes the lock, checks that the file is a journal of this job in a known format, and returns
/// this start's epoch, which is durable then. A journal of an older format is made one of this
/// format. Nothing is changed when it is refused.
[[nodiscard]] Result<std::uint64_t> ClaimJournal(const Database& database,
                                                 const std::filesystem::path& file,
                                                 const JobIdentity& identity,
                                                 bool made_for_this_start);

}  // namespace evenkeel::coordinator
