#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "coordinator/journal.h"

/// A journal small enough to be kept in an object of the cluster while its job is suspended: the
/// bytes of journal.db, compressed in the zlib format (RFC 1950).
namespace evenkeel::coordinator {

/// Of a snapshot; objects of a cluster may have 1 MiB, with a third more for base64.
inline constexpr std::int64_t kMaxSnapshotBytes = 512 * 1024;
/// Of the journal in it; what is larger is not even tried.
inline constexpr std::int64_t kMaxSnapshotJournalBytes = 32 * 1024 * 1024;

/// kStorageFull, with the sizes, if it would be too large.
[[nodiscard]] Result<std::string> MakeSnapshot(const Journal& journal);

/// Puts the journal in `snapshot` into `folder`, whole or not at all. A folder that has a journal
/// keeps that, and `snapshot` is not even opened: it is older. kInvalidInput, beginning with the
/// path of the snapshot, if it is missing, damaged or another job's; kStorageFull; kUnavailable.
Result<void> SeedFolder(const std::filesystem::path& snapshot, const std::filesystem::path& folder,
                        const JobIdentity& identity);

}  // namespace evenkeel::coordinator
