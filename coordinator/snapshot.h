#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "coordinator/journal.h"

/// Snapshots of journals that are small enough to be stored in an object of the cluster while the
/// job is suspended: the bytes of journal.db, compressed in the zlib format (RFC 1950).
namespace evenkeel::coordinator {

/// Maximum size of a snapshot. An object of the cluster may have 1 MiB; base64 adds a third.
inline constexpr std::int64_t kMaxSnapshotBytes = 512 * 1024;
/// Maximum size of the journal in a snapshot; larger ones are not compressed at all.
inline constexpr std::int64_t kMaxSnapshotJournalBytes = 32 * 1024 * 1024;

/// Returns a snapshot of the journal. kStorageFull, with the sizes, if it would be too large.
[[nodiscard]] Result<std::string> MakeSnapshot(const Journal& journal);

/// Creates `folder`/journal.db from a snapshot, atomically and durably. Does nothing if the folder
/// has a journal, which is newer. kInvalidInput, beginning with the path of the snapshot, if that
/// is missing, damaged or another job's; kStorageFull; kUnavailable.
Result<void> SeedFolder(const std::filesystem::path& snapshot, const std::filesystem::path& folder,
                        const JobIdentity& identity);

}  // namespace evenkeel::coordinator
