#include "files/chunk_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "files/chunks_ahead.h"
#include "platform/files.h"

namespace evenkeel::files {
namespace {

using platform::FileDescriptor;
using platform::WriteError;

constexpr const char* kProcessFolder = "process-";
constexpr const char* kLockEnding = ".lock";  // ending of the name of the file that it locks
constexpr const char* kAssembled = ".file";   // ending of the names of files with several chunks
constexpr std::size_t kDigits = 64;
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

/// Whether a file of the cache may have this name.
bool IsName(std::string_view name) {
  if (name.ends_with(kAssembled)) name.remove_suffix(std::string_view(kAssembled).size());
  return name.size() == kDigits &&
         name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string NameOf(const FileContent& content) {
  return content.chunks.size() == 1 ? HexOf(content.chunks.front())
                                    : HexOf(DigestOf(content)) + kAssembled;
}

tl::unexpected<Error> Stopped() {
  return Fail(ErrorCode::kUnavailable, "the task was stopped while it waited for its files");
}

}  // namespace

ChunkCache::Pinned::~Pinned() {
  if (link_) ::unlink(path_.c_str());
}

/// A folder with files, and what this process has in there. A process has a file that it locks, so
/// that others see that it lives: folders cannot be locked on NFS.
struct ChunkCache::Storage {
  Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    std::error_code ignored;
    if (!own.empty()) std::filesystem::remove_all(own, ignored);
    if (lock.IsOpen()) ::unlink(LockPath(own).c_str());
  }

  static Result<std::shared_ptr<const Storage>> Open(const std::filesystem::path& folder) {
    const auto storage = std::make_shared<Storage>();
    storage->folder = folder;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return tl::unexpected(WriteError(folder, error.value()));
    // A user of a shared volume may have put a link to another place there.
    const FileDescriptor opened(
        ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!opened.IsOpen()) return tl::unexpected(WriteError(folder, errno));
    if (auto made = storage->MakeOwn(); !made) return tl::unexpected(made.error());
    storage->RemoveEndedProcesses();
    return storage;
  }

  static std::filesystem::path LockPath(std::filesystem::path own) { return own += kLockEnding; }

  /// Locks the file if no other process has. False, too, if it is no longer at this path.
  static bool Locks(const FileDescriptor& file, const std::filesystem::path& path) {
    struct stat opened {};
    struct stat named {};
    return file.IsOpen() && ::flock(file.Get(), LOCK_EX | LOCK_NB) == 0 &&
           ::fstat(file.Get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
  }

  Result<void> MakeOwn() {
    // Another process may take a new file for that of an ended one until it is locked.
    constexpr int kAttempts = 10;
    int failed = 0;
    for (int attempt = 0; attempt < kAttempts && !lock.IsOpen(); ++attempt) {
      std::string path = folder / (std::string(kProcessFolder) + "XXXXXX" + kLockEnding);
      const auto ending = static_cast<int>(std::string_view(kLockEnding).size());
      FileDescriptor file(::mkostemps(path.data(), ending, O_CLOEXEC));
      if (!file.IsOpen()) return tl::unexpected(WriteError(folder, errno));
      if (Locks(file, path)) {
        lock = std::move(file);
        own = path.substr(0, path.size() - static_cast<std::size_t>(ending));
      } else {
        failed = errno;
        ::unlink(path.c_str());
      }
    }
    if (!lock.IsOpen()) return tl::unexpected(WriteError(folder, failed));
    // Tasks, which may run as another user, read files through the links in here.
    const bool made = ::mkdir(own.c_str(), 0755) == 0 && ::chmod(own.c_str(), 0755) == 0;
    return made ? Result<void>() : tl::unexpected(WriteError(folder, errno));
  }

  void RemoveEndedProcesses() const {
    std::set<std::filesystem::path> others;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      std::string path = entry->path().native();
      if (!entry->path().filename().native().starts_with(kProcessFolder)) continue;
      if (path.ends_with(kLockEnding)) path.resize(path.size() - std::strlen(kLockEnding));
      if (path != own) others.insert(path);
    }
    for (const std::filesystem::path& other : others) {
      const std::filesystem::path path = LockPath(other);
      const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
      // A process has its folder only after the lock, and removes it before the lock.
      const bool ended = file.IsOpen() ? Locks(file, path) : errno == ENOENT;
      if (!ended) continue;
      std::filesystem::remove_all(other, error);
      if (file.IsOpen()) ::unlink(path.c_str());
    }
  }

  std::filesystem::path folder;
  std::filesystem::path own;  // folder of this process: unfinished files, and links for pins
  FileDescriptor lock;
};

Result<std::unique_ptr<ChunkCache>> ChunkCache::Open(Options options) {
  std::unique_ptr<ChunkCache> cache(new ChunkCache(std::move(options)));
  const std::lock_guard lock(cache->mutex_);
  if (auto used = cache->Use(cache->options_.folder);
      !used && !cache->UseFallback(nullptr, used.error())) {
    return tl::unexpected(used.error());
  }
  return cache;
}

ChunkCache::~ChunkCache() = default;

Result<void> ChunkCache::Use(const std::filesystem::path& folder) {
  auto storage = Storage::Open(folder);
  if (!storage) return tl::unexpected(storage.error());
  former_ = std::exchange(storage_, std::move(*storage));
  Scan();
  return {};
}

bool ChunkCache::UseFallback(const Storage* failed, const Error& error) {
  const std::filesystem::path& fallback = options_.fallback_folder;
  if (storage_.get() != failed) return true;  // another thread was faster
  const bool is_fallback = storage_ != nullptr && storage_->folder == fallback;
  if (fallback.empty() || is_fallback || !Use(fallback)) return false;
  Log(LogLevel::kWarning,
      error.message + "; from now on, input files are cached in " + fallback.string());
  return true;
}

void ChunkCache::Scan() {
  struct Found {
    std::string name;
    std::int64_t bytes;
    struct timespec used;
    std::uint64_t version;
  };
  std::vector<Found> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(storage_->folder, error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().native();
    struct stat status {};
    if (!IsName(name) || ::lstat(entry->path().c_str(), &status) != 0) continue;
    const bool chunk = !name.ends_with(kAssembled);
    if (!S_ISREG(status.st_mode) || (chunk && status.st_size > kChunkBytes)) {
      ::unlink(entry->path().c_str());
      continue;
    }
    if (!entries_.contains(name)) {
      found.push_back({std::move(name), status.st_size, status.st_atim,
                       VersionKey(status.st_size, platform::ModifiedNanoseconds(status))});
    }
  }
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  version_keys_.clear();
  for (std::size_t n = 0; n < found.size(); ++n) {
    Insert(found[n].name, found[n].bytes);
    if (found.size() - n <= kMaxVersionKeys) version_keys_.push_back(found[n].version);
  }
  static_cast<void>(MakeRoom(0));  // what is in use is not removed
}

std::vector<std::uint64_t> ChunkCache::VersionKeys() const {
  const std::lock_guard lock(mutex_);
  return version_keys_;
}

Result<ChunkCache::Pin> ChunkCache::Get(const FileContent& content, const Fetch& fetch,
                                        const std::stop_token& stop,
                                        std::int64_t modified_nanoseconds) {
  if (!IsConsistent(content)) return InvalidInput("the number of chunks does not fit to the size");
  return GetNamed(NameOf(content), {content, fetch, modified_nanoseconds}, stop);
}

Result<ChunkCache::Pin> ChunkCache::GetNamed(const std::string& name, const Source& source,
                                             const std::stop_token& stop) {
  const FileContent& content = source.content;
  // Another process may remove a file between its making and its use.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Lock lock(mutex_);
    if (source.ahead && making_.contains(name)) {
      return Fail(ErrorCode::kUnavailable, "another thread fetches the chunk");
    }
    const bool free = changed_.wait(lock, stop, [&] { return !making_.contains(name); });
    if (!free || stop.stop_requested()) return Stopped();
    making_.insert(name);  // one thread at a time makes or verifies a file
    Pin pin = PinEntry(lock, name, content, /*made_now=*/false);
    Result<void> made;
    bool again = false;
    if (pin == nullptr) {
      made = Reserve(lock, source, stop);
      if (made) {
        const std::shared_ptr<const Storage> storage = storage_;
        bool unwritable = false;
        lock.unlock();
        made = Make(*storage, name, source, stop, unwritable);
        lock.lock();
        bytes_ -= content.size_bytes;
        again = unwritable && !source.ahead && UseFallback(storage.get(), made.error());
      }
      if (made) {
        Forget(name, false);
        Insert(name, content.size_bytes);
        pin = PinEntry(lock, name, content, /*made_now=*/true);
      }
    }
    making_.erase(name);
    changed_.notify_all();
    if (again) continue;
    if (!made) return tl::unexpected(made.error());
    if (pin != nullptr) return pin;
  }
  return Fail(ErrorCode::kUnavailable,
              options_.folder.string() + ": files disappear or change before they can be used");
}

std::optional<Chunk> ChunkCache::Find(const Sha256Digest& chunk,
                                      std::chrono::milliseconds patience) {
  const std::string name = HexOf(chunk);
  std::filesystem::path path;
  {
    Lock lock(mutex_);
    if (patience.count() > 0) {
      changed_.wait_for(lock, patience, [&] { return !making_.contains(name); });
    }
    const auto found = entries_.find(name);
    if (found == entries_.end()) return std::nullopt;
    uses_.splice(uses_.end(), uses_, found->second.use);
    path = storage_->folder / name;
  }
  const FileDescriptor file(::open(path.c_str(), kToRead));
  struct stat status {};
  if (!file.IsOpen() || ::fstat(file.Get(), &status) != 0 || status.st_size > kChunkBytes) {
    return std::nullopt;
  }
  auto found = ReadChunk(file, status.st_size, 0);
  if (!found || found->Digest() != chunk) return std::nullopt;
  return std::move(*found);
}

std::int64_t ChunkCache::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

ChunkCache::Pin ChunkCache::PinEntry(Lock& lock, const std::string& name,
                                     const FileContent& content, bool made_now) {
  if (!entries_.contains(name)) InsertFound(name, content.size_bytes);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  Pin pin = found->second.pin.lock();
  if (pin == nullptr) pin = OpenPinned(name);
  if (pin != nullptr) found->second.pin = pin;
  bool right = pin != nullptr;
  if (right && !made_now && (options_.verify_each_use || !found->second.verified)) {
    lock.unlock();
    const FileDescriptor file(::open(pin->Path().c_str(), kToRead));
    right = HasContent(file, content);
    lock.lock();
  }
  // A pinned entry is not removed, and only one thread at a time is here for this name.
  if (!right) {
    pin.reset();
    Forget(name, true);
    return nullptr;
  }
  found->second.verified = true;
  uses_.splice(uses_.end(), uses_, found->second.use);
  // The order of use, for the next process. The time of the last change stays, because a task whose
  // directory is being made could take the file for changed.
  const struct timespec used[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  ::utimensat(AT_FDCWD, pin->Path().c_str(), used, 0);
  return pin;
}

ChunkCache::Pin ChunkCache::OpenPinned(const std::string& name) {
  const std::filesystem::path path = storage_->folder / name;
  const std::filesystem::path link = storage_->own / std::to_string(++last_link_);
  if (::link(path.c_str(), link.c_str()) == 0) return std::make_shared<Pinned>(link, true);
  // Without hard links, other processes can remove the file while it is in use.
  const bool no_links = errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
  return no_links ? std::make_shared<Pinned>(path, false) : nullptr;
}

Result<void> ChunkCache::Make(const Storage& storage, const std::string& name, const Source& source,
                              const std::stop_token& stop, bool& unwritable) {
  const FileContent& content = source.content;
  const std::filesystem::path partial = storage.own / name;
  const auto write_failed = [&](int error_number) {
    unwritable = true;
    return tl::unexpected(WriteError(partial, error_number));
  };
  const FileDescriptor file(
      ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.IsOpen()) return write_failed(errno);
  const auto write = [&]() -> Result<void> {
    const std::size_t count = content.chunks.size();
    std::optional<ChunksAhead> chunks_ahead;
    if (count > 1) {
      chunks_ahead.emplace(count,
                           [&](std::size_t place) { return ObtainAhead(source, place, stop); });
    }
    for (std::size_t place = 0; place < count; ++place) {
      if (stop.stop_requested()) return Stopped();
      std::optional<Chunk> chunk;
      if (chunks_ahead) chunk = chunks_ahead->Take(place, stop);
      if (!chunk) {
        auto obtained = Obtain(source, place, stop);
        if (!obtained) return tl::unexpected(obtained.error());
        chunk = std::move(*obtained);
      }
      if (const int failed = AppendWithRoom(file, chunk->Bytes()); failed != 0) {
        return write_failed(failed);
      }
    }
    const std::int64_t modified = source.modified_nanoseconds;
    if (const int failed = modified > 0 ? platform::SetModified(file, modified) : 0; failed != 0) {
      return write_failed(failed);
    }
    if (::fchmod(file.Get(), 0444) != 0 ||
        ::rename(partial.c_str(), (storage.folder / name).c_str()) != 0) {
      return write_failed(errno);
    }
    return {};
  };
  auto written = write();
  if (!written) ::unlink(partial.c_str());
  return written;
}

Result<Chunk> ChunkCache::Obtain(const Source& source, std::size_t place,
                                 const std::stop_token& stop) {
  const FileContent& content = source.content;
  const Sha256Digest& digest = content.chunks[place];
  std::optional<Chunk> chunk = Find(digest);
  const auto fetch_chunk = [&]() -> Result<Chunk> {
    auto fetched = source.fetch(place);
    if (fetched) chunk = *fetched;  // need not be read back
    return fetched;
  };
  if (!chunk && content.chunks.size() > 1) {
    // As a file of its own first: it can be served to others, and a broken transfer goes on.
    const FileContent alone{ChunkBytes(content.size_bytes, place), {digest}};
    const Fetch fetch_alone = [&](std::size_t) { return fetch_chunk(); };
    const auto got = GetNamed(HexOf(digest), {alone, fetch_alone, 0, source.ahead}, stop);
    if (!got) return tl::unexpected(got.error());
    if (!chunk) chunk = Find(digest);  // another thread or process has fetched it
  }
  if (!chunk) {
    if (const auto fetched = fetch_chunk(); !fetched) return tl::unexpected(fetched.error());
  }
  if (chunk->Digest() != digest) {
    return Fail(ErrorCode::kUnavailable, "received bytes with a wrong digest");
  }
  return std::move(*chunk);
}

std::optional<Chunk> ChunkCache::ObtainAhead(const Source& source, std::size_t place,
                                             const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_for_room_ > 0) return std::nullopt;
    ++ahead_;
  }
  Source before_its_turn = source;
  before_its_turn.ahead = true;
  auto chunk = Obtain(before_its_turn, place, stop);
  {
    const std::lock_guard lock(mutex_);
    --ahead_;
    changed_.notify_all();
  }
  if (!chunk) return std::nullopt;  // it is tried again in its turn
  return std::move(*chunk);
}

// The caller may be making files while it waits here: a thread that obtains a chunk ahead waits for
// no other thread.
bool ChunkCache::WaitForChunksAhead(Lock& lock, const std::stop_token& stop) {
  if (ahead_ == 0) return false;
  ++waiting_for_room_;
  const bool ended = changed_.wait(lock, stop, [this] { return ahead_ == 0; });
  --waiting_for_room_;
  return ended;
}

Result<void> ChunkCache::Reserve(Lock& lock, const Source& source, const std::stop_token& stop) {
  const std::int64_t bytes = source.content.size_bytes;
  auto room = MakeRoom(bytes);
  if (!room && !source.ahead && WaitForChunksAhead(lock, stop)) room = MakeRoom(bytes);
  if (!room && stop.stop_requested()) return Stopped();
  if (room) bytes_ += bytes;
  return room;
}

int ChunkCache::AppendWithRoom(const FileDescriptor& file, const SharedBytes& bytes) {
  const off_t begin = ::lseek(file.Get(), 0, SEEK_CUR);
  for (;;) {
    const int failed = Append(file, bytes);
    if (failed == 0 || WriteError({}, failed).code != ErrorCode::kStorageFull) return failed;
    const std::lock_guard lock(mutex_);
    if (!RemoveUnused(static_cast<std::int64_t>(bytes.Size()))) return failed;
    if (::ftruncate(file.Get(), begin) != 0 || ::lseek(file.Get(), begin, SEEK_SET) != begin) {
      return errno;
    }
  }
}

void ChunkCache::InsertFound(const std::string& name, std::int64_t bytes) {
  struct stat status {};
  const bool found = ::lstat((storage_->folder / name).c_str(), &status) == 0 &&
                     S_ISREG(status.st_mode) && status.st_size == bytes;
  if (found && MakeRoom(bytes)) Insert(name, bytes);
}

void ChunkCache::Insert(const std::string& name, std::int64_t bytes) {
  Entry entry;
  entry.bytes = bytes;
  entry.use = uses_.insert(uses_.end(), name);
  entries_.emplace(name, std::move(entry));
  bytes_ += bytes;
}

void ChunkCache::Forget(const std::string& name, bool remove) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return;
  bytes_ -= found->second.bytes;
  uses_.erase(found->second.use);
  entries_.erase(found);
  if (remove) ::unlink((storage_->folder / name).c_str());
}

std::vector<std::string> ChunkCache::OldestUnused(std::int64_t bytes) const {
  std::vector<std::string> names;
  for (const std::string& name : uses_) {
    if (bytes <= 0) break;
    const Entry& entry = entries_.at(name);
    if (!entry.pin.expired() || making_.contains(name)) continue;
    names.push_back(name);
    bytes -= entry.bytes;
  }
  return names;
}

Result<void> ChunkCache::MakeRoom(std::int64_t bytes) {
  const std::vector<std::string> removed = OldestUnused(bytes_ + bytes - options_.limit_bytes);
  std::int64_t left = bytes_;
  for (const std::string& name : removed) left -= entries_.at(name).bytes;
  if (left + bytes > options_.limit_bytes) {
    return Fail(ErrorCode::kStorageFull, "the cache of input files may have " +
                                             std::to_string(options_.limit_bytes) +
                                             " bytes: " + std::to_string(left) + " are in use, " +
                                             std::to_string(bytes) + " more are needed");
  }
  for (const std::string& name : removed) Forget(name, true);
  return {};
}

bool ChunkCache::RemoveUnused(std::int64_t bytes) {
  const std::vector<std::string> removed = OldestUnused(bytes);
  for (const std::string& name : removed) Forget(name, true);
  return !removed.empty();
}

}  // namespace evenkeel::files
