#include "files/cache_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "files/partial_file.h"
#include "platform/files.h"

namespace evenkeel::files {
namespace {

using platform::FileDescriptor;
using platform::WriteError;

constexpr std::string_view kProcessFolder = "process-";
constexpr std::string_view kLockEnding = ".lock";  // of the name of the file that it locks
constexpr std::string_view kSeveralChunks =
    ".file";                                        // ending of names of files with several chunks
constexpr std::string_view kPartial = ".partial";   // after such a name: a part of the file
constexpr std::string_view kChunkList = ".chunks";  // after such a name: the digests of its chunks
constexpr std::size_t kDigits = 64;

/// Removes the ending from a name; false if the name does not have it.
bool RemoveEnding(std::string_view& name, std::string_view ending) {
  if (!name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  return true;
}

bool IsChunk(std::string_view name) {
  return name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether a file with several chunks may have this name.
bool IsLarge(std::string_view name) { return RemoveEnding(name, kSeveralChunks) && IsChunk(name); }

bool IsPartial(std::string_view name) { return RemoveEnding(name, kPartial) && IsLarge(name); }

std::filesystem::path LockPath(std::filesystem::path own) { return own += kLockEnding; }

/// Locks the file if no other process has. False, too, if it is no longer at this path.
bool Locks(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat opened {};
  struct stat named {};
  return file.IsOpen() && ::flock(file.Get(), LOCK_EX | LOCK_NB) == 0 &&
         ::fstat(file.Get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

std::string CachedName(const FileContent& content) {
  if (content.chunks.size() == 1) return HexOf(content.chunks.front());
  return HexOf(DigestOf(content)).append(kSeveralChunks);
}

std::string PartialName(const std::string& name) { return std::string(name).append(kPartial); }

std::string WholeName(std::string name) {
  std::string_view whole = name;
  RemoveEnding(whole, kPartial);
  name.resize(whole.size());
  return name;
}

Result<std::shared_ptr<const CacheFolder>> CacheFolder::Open(const std::filesystem::path& folder) {
  const std::shared_ptr<CacheFolder> opened(new CacheFolder(folder));
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return tl::unexpected(WriteError(folder, error.value()));
  // A user of a shared volume may have put a link to another place there.
  const FileDescriptor file(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.IsOpen()) return tl::unexpected(WriteError(folder, errno));
  if (auto made = opened->MakeOwn(); !made) return tl::unexpected(made.error());
  opened->RemoveEndedProcesses();
  return opened;
}

CacheFolder::~CacheFolder() {
  std::error_code ignored;
  if (!own_.empty()) std::filesystem::remove_all(own_, ignored);
  if (lock_.IsOpen()) ::unlink(LockPath(own_).c_str());
}

Result<void> CacheFolder::MakeOwn() {
  // Another process may take a new file for that of an ended one until it is locked.
  constexpr int kAttempts = 10;
  int failed = 0;
  for (int attempt = 0; attempt < kAttempts && !lock_.IsOpen(); ++attempt) {
    std::string path = folder_ / std::string(kProcessFolder).append("XXXXXX").append(kLockEnding);
    FileDescriptor file(::mkostemps(path.data(), static_cast<int>(kLockEnding.size()), O_CLOEXEC));
    if (!file.IsOpen()) return tl::unexpected(WriteError(folder_, errno));
    if (Locks(file, path)) {
      lock_ = std::move(file);
      own_ = path.substr(0, path.size() - kLockEnding.size());
    } else {
      failed = errno;
      ::unlink(path.c_str());
    }
  }
  if (!lock_.IsOpen()) return tl::unexpected(WriteError(folder_, failed));
  // Tasks, which may run as another user, read files through the links in here.
  const bool made = ::mkdir(own_.c_str(), 0755) == 0 && ::chmod(own_.c_str(), 0755) == 0;
  return made ? Result<void>() : tl::unexpected(WriteError(folder_, errno));
}

void CacheFolder::RemoveEndedProcesses() const {
  std::set<std::filesystem::path> others;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().native().starts_with(kProcessFolder)) continue;
    std::string_view path = entry->path().native();
    RemoveEnding(path, kLockEnding);
    if (path != own_.native()) others.insert(path);
  }
  for (const std::filesystem::path& other : others) {
    const std::filesystem::path path = LockPath(other);
    const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    // A process has its folder only after the lock, and removes it before the lock.
    const bool ended = file.IsOpen() ? Locks(file, path) : errno == ENOENT;
    if (!ended) continue;
    KeepParts(other);
    std::filesystem::remove_all(other, error);
    if (file.IsOpen()) ::unlink(path.c_str());
  }
}

void CacheFolder::KeepParts(const std::filesystem::path& ended) const {
  std::error_code error;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(ended, error))) return;
  std::vector<std::filesystem::path> parts;
  for (std::filesystem::directory_iterator entry(ended, error), end; !error && entry != end;
       entry.increment(error)) {
    if (IsPartial(entry->path().filename().native())) parts.push_back(entry->path());
  }
  for (const std::filesystem::path& part : parts) {
    ::rename(part.c_str(), (folder_ / part.filename()).c_str());
  }
}

std::vector<CacheFolder::Found> CacheFolder::Files() const {
  std::vector<Found> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    std::string name = path.filename().native();
    std::string_view whole = name;
    if (RemoveEnding(whole, kChunkList) && IsLarge(whole)) {
      if (!std::filesystem::exists(folder_ / whole, error)) ::unlink(path.c_str());
      continue;
    }
    const bool partial = IsPartial(name);
    const bool chunk = IsChunk(name);
    struct stat status {};
    if (!partial && !chunk && !IsLarge(name)) continue;
    if (::lstat(path.c_str(), &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || (chunk && status.st_size > kChunkBytes)) {
      ::unlink(path.c_str());
      continue;
    }
    found.push_back({std::move(name), partial,
                     partial ? PartialFile::BytesOnDisk(status) : status.st_size, status.st_atim,
                     platform::ModifiedNanoseconds(status)});
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  return found;
}

void CacheFolder::Remove(const std::string& name) const {
  ::unlink(PathOf(name).c_str());
  if (IsLarge(name)) ::unlink(PathOf(name).concat(kChunkList).c_str());
}

void CacheFolder::WriteChunkList(const FileContent& content) const {
  const std::string name = CachedName(content).append(kChunkList);
  const SharedBytes bytes(Encode(content));
  // Not an AtomicFile, which would flush the whole file to the disk as well.
  const auto file = PartialFile::Open(OwnPathOf(name), {}, static_cast<std::int64_t>(bytes.Size()));
  if (file == nullptr || file->Write(0, bytes) != 0) return;
  static_cast<void>(file->Complete(PathOf(name), 0));
}

std::optional<FileContent> CacheFolder::ReadChunkList(const std::string& name,
                                                      std::int64_t size_bytes) const {
  if (!IsLarge(name)) return std::nullopt;
  constexpr std::size_t kMaxDigits = 20;  // of the size, and what ends it
  const std::size_t most = kMaxDigits + ChunkCount(size_bytes) * sizeof(Sha256Digest);
  const auto bytes = platform::ReadRegularFile(PathOf(name).concat(kChunkList), most);
  auto content = bytes ? DecodeContent(*bytes) : std::nullopt;
  if (!content || CachedName(*content) != name) return std::nullopt;
  return content;
}

}  // namespace evenkeel::files
