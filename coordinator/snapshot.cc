#include "coordinator/snapshot.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "coordinator/journal_format.h"
#include "coordinator/sqlite_database.h"
#include "platform/file_descriptor.h"
#include "platform/files.h"

namespace evenkeel::coordinator {
namespace {

using std::filesystem::path;

struct Inflater {
  z_stream stream{};
  bool ready = inflateInit(&stream) == Z_OK;
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

tl::unexpected<Error> Unusable(const path& snapshot, const std::string& because) {
  return InvalidInput(snapshot.string() + ": not a snapshot of this job's journal: " + because);
}

/// Returns nothing if the snapshot is damaged or its journal is too large.
std::string Decompress(const std::string& compressed) {
  Inflater inflater;
  if (!inflater.ready) return {};
  std::string source = compressed;  // zlib's interface demands a mutable buffer
  inflater.stream.next_in = reinterpret_cast<Bytef*>(source.data());
  inflater.stream.avail_in = static_cast<uInt>(source.size());
  std::string bytes;
  constexpr std::size_t kStep = 256 * 1024;
  int result = Z_OK;
  while (result == Z_OK && bytes.size() <= kMaxSnapshotJournalBytes) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kStep);
    inflater.stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + before);
    inflater.stream.avail_out = static_cast<uInt>(kStep);
    result = inflate(&inflater.stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - inflater.stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && inflater.stream.avail_in == 0;
  return whole && bytes.size() <= kMaxSnapshotJournalBytes ? bytes : std::string();
}

Result<void> WriteTo(const path& draft, const std::string& bytes) {
  const platform::FileDescriptor file(::open(draft.c_str(), O_WRONLY | O_CLOEXEC));
  std::size_t written = 0;
  ssize_t part = file.IsOpen() ? 1 : -1;
  while (part > 0 && written < bytes.size()) {
    part = ::write(file.Get(), bytes.data() + written, bytes.size() - written);
    if (part > 0) written += static_cast<std::size_t>(part);
  }
  if (part >= 0) return {};
  const path folder = draft.parent_path();
  const int error = errno;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    return tl::unexpected(NoSpaceLeft(folder.string()));
  }
  return Fail(ErrorCode::kUnavailable,
              folder.string() + " cannot be written: " + std::strerror(error));
}

/// Checks that the file is an undamaged journal of this job.
Result<void> Check(const path& draft, const path& snapshot, const JobIdentity& identity) {
  const auto database = Database::Open(draft);
  if (!database) return tl::unexpected(database.error());
  (*database)->CheckpointOnClose();
  auto done = (*database)->Execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL");
  if (!done) return done;
  if (done = CheckJournal(**database, snapshot.string(), identity); !done) return done;
  auto checked = (*database)->Prepare("PRAGMA quick_check(1)");
  if (!checked) return tl::unexpected(checked.error());
  const auto row = checked->Step();
  if (!row) return tl::unexpected(row.error());
  if (*row && checked->Bytes(0) == "ok") return {};
  return Fail(ErrorCode::kInternal, "it is damaged");
}

}  // namespace

Result<std::string> MakeSnapshot(const Journal& journal) {
  const auto bytes = journal.Copy(kMaxSnapshotJournalBytes);
  if (!bytes) return bytes;
  uLongf size = compressBound(static_cast<uLong>(bytes->size()));
  std::string compressed(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                               reinterpret_cast<const Bytef*>(bytes->data()),
                               static_cast<uLong>(bytes->size()), Z_BEST_COMPRESSION);
  if (result != Z_OK) return Fail(ErrorCode::kInternal, "the journal cannot be compressed");
  compressed.resize(size);
  if (compressed.size() > kMaxSnapshotBytes) {
    return Fail(ErrorCode::kStorageFull,
                "the snapshot would have " + std::to_string(compressed.size()) +
                    " bytes (the journal has " + std::to_string(bytes->size()) +
                    "), more than the " + std::to_string(kMaxSnapshotBytes) +
                    " that can be kept; keep the results of this job on a claim");
  }
  return compressed;
}

Result<void> SeedFolder(const path& snapshot, const path& folder, const JobIdentity& identity) {
  const path file = folder / "journal.db";
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error))) return {};
  std::filesystem::create_directories(folder, error);

  const auto compressed = platform::ReadRegularFile(snapshot, kMaxSnapshotBytes);
  if (!compressed) return tl::unexpected(compressed.error());
  const std::string bytes = Decompress(*compressed);
  if (compressed->empty()) return Unusable(snapshot, "it is empty");
  if (bytes.empty()) return Unusable(snapshot, "it is damaged");

  const auto draft = JournalDraft::Create(folder);
  if (!draft) return tl::unexpected(draft.error());
  if (auto written = WriteTo((*draft)->File(), bytes); !written) return written;
  if (const auto good = Check((*draft)->File(), snapshot, identity); !good) {
    const ErrorCode code = good.error().code;
    if (code == ErrorCode::kStorageFull || code == ErrorCode::kUnavailable) return good;
    const bool ours =
        code == ErrorCode::kConflict && good.error().message.rfind(snapshot.string(), 0) == 0;
    if (ours) return InvalidInput(good.error().message);
    return Unusable(snapshot, "it is damaged");
  }
  const auto published = PublishJournal((*draft)->File(), file);
  if (!published) return tl::unexpected(published.error());
  return {};
}

}  // namespace evenkeel::coordinator
