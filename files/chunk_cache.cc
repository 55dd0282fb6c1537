#include "files/chunk_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/files.h"

namespace evenkeel::files {
namespace {

using platform::FileDescriptor;
using platform::WriteError;

constexpr const char* kProcessFolder = "process-";
constexpr const char* kAssembled = ".file";  // ending of the names of files with several chunks
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

Result<std::unique_ptr<ChunkCache>> ChunkCache::Open(Options options) {
  std::unique_ptr<ChunkCache> cache(new ChunkCache(std::move(options)));
  if (auto made = cache->MakeFolders(); !made) return tl::unexpected(made.error());
  cache->RemoveEndedProcesses();
  if (auto scanned = cache->Scan(); !scanned) return tl::unexpected(scanned.error());
  return cache;
}

ChunkCache::~ChunkCache() {
  std::error_code ignored;
  if (!own_.empty()) std::filesystem::remove_all(own_, ignored);
}

Result<void> ChunkCache::MakeFolders() {
  std::error_code error;
  std::filesystem::create_directories(options_.folder, error);
  if (error) return tl::unexpected(WriteError(options_.folder, error.value()));
  std::string name = options_.folder / (std::string(kProcessFolder) + "XXXXXX");
  if (::mkdtemp(name.data()) == nullptr) return tl::unexpected(WriteError(options_.folder, errno));
  own_ = name;
  // Tasks, which may run as another user, read files through the links in here.
  ::chmod(own_.c_str(), 0755);
  own_lock_.Reset(::open(own_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!own_lock_.IsOpen() || ::flock(own_lock_.Get(), LOCK_EX | LOCK_NB) != 0) {
    return tl::unexpected(WriteError(own_, errno));
  }
  return {};
}

void ChunkCache::RemoveEndedProcesses() const {
  std::error_code error;
  std::vector<std::filesystem::path> ended;
  for (std::filesystem::directory_iterator entry(options_.folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const auto& path = entry->path();
    if (path == own_ || !path.filename().native().starts_with(kProcessFolder)) continue;
    const FileDescriptor folder(
        ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder.IsOpen() && ::flock(folder.Get(), LOCK_EX | LOCK_NB) == 0) ended.push_back(path);
  }
  for (const auto& path : ended) std::filesystem::remove_all(path, error);
}

Result<void> ChunkCache::Scan() {
  struct Found {
    std::string name;
    std::int64_t bytes;
    struct timespec used;
  };
  std::vector<Found> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(options_.folder, error), end;
       !error && entry != end; entry.increment(error)) {
    std::string name = entry->path().filename().native();
    struct stat status {};
    if (!IsName(name) || ::lstat(entry->path().c_str(), &status) != 0) continue;
    const bool chunk = !name.ends_with(kAssembled);
    if (!S_ISREG(status.st_mode) || (chunk && status.st_size > kChunkBytes)) {
      ::unlink(entry->path().c_str());
      continue;
    }
    found.push_back({std::move(name), status.st_size, status.st_atim});
  }
  if (error) return tl::unexpected(WriteError(options_.folder, error.value()));
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  const std::lock_guard lock(mutex_);
  for (const Found& file : found) Insert(file.name, file.bytes);
  static_cast<void>(MakeRoom(0));  // nothing is in use yet, so there is no error
  return {};
}

Result<ChunkCache::Pin> ChunkCache::Get(const FileContent& content, const Fetch& fetch,
                                        const std::stop_token& stop) {
  if (!IsConsistent(content)) return InvalidInput("the number of chunks does not fit to the size");
  return GetNamed(NameOf(content), content, fetch, stop);
}

Result<ChunkCache::Pin> ChunkCache::GetNamed(const std::string& name, const FileContent& content,
                                             const Fetch& fetch, const std::stop_token& stop) {
  // Another process may remove a file between its making and its use.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Lock lock(mutex_);
    const bool free = changed_.wait(lock, stop, [&] { return !making_.contains(name); });
    if (!free || stop.stop_requested()) return Stopped();
    making_.insert(name);  // one thread at a time makes or verifies a file
    Pin pin = PinEntry(lock, name, content);
    Result<void> made;
    if (pin == nullptr) {
      made = MakeRoom(content.size_bytes);
      if (made) {
        bytes_ += content.size_bytes;  // reserved
        lock.unlock();
        made = Make(name, content, fetch, stop);
        lock.lock();
        bytes_ -= content.size_bytes;
      }
      if (made) {
        Forget(name, false);
        Insert(name, content.size_bytes);
        pin = PinEntry(lock, name, content);
      }
    }
    making_.erase(name);
    changed_.notify_all();
    if (!made) return tl::unexpected(made.error());
    if (pin != nullptr) return pin;
  }
  return Fail(ErrorCode::kUnavailable,
              options_.folder.string() + ": files disappear or change before they can be used");
}

std::optional<std::string> ChunkCache::Find(const Sha256Digest& chunk,
                                            std::chrono::milliseconds patience) {
  const std::string name = HexOf(chunk);
  {
    Lock lock(mutex_);
    if (patience.count() > 0) {
      changed_.wait_for(lock, patience, [&] { return !making_.contains(name); });
    }
    const auto found = entries_.find(name);
    if (found == entries_.end()) return std::nullopt;
    uses_.splice(uses_.end(), uses_, found->second.use);
  }
  const FileDescriptor file(::open((options_.folder / name).c_str(), kToRead));
  struct stat status {};
  if (!file.IsOpen() || ::fstat(file.Get(), &status) != 0 || status.st_size > kChunkBytes) {
    return std::nullopt;
  }
  auto bytes = ReadChunk(file, status.st_size, 0);
  if (!bytes || protocol::Sha256Of(*bytes) != chunk) return std::nullopt;
  return std::move(*bytes);
}

std::int64_t ChunkCache::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

ChunkCache::Pin ChunkCache::PinEntry(Lock& lock, const std::string& name,
                                     const FileContent& content) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  Pin pin = found->second.pin.lock();
  if (pin == nullptr) pin = OpenPinned(name);
  if (pin != nullptr) found->second.pin = pin;
  bool right = pin != nullptr;
  if (right && (options_.verify_each_use || !found->second.verified)) {
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
  const std::filesystem::path path = options_.folder / name;
  const std::filesystem::path link = own_ / std::to_string(++last_link_);
  if (::link(path.c_str(), link.c_str()) == 0) return std::make_shared<Pinned>(link, true);
  // Without hard links, other processes can remove the file while it is in use.
  const bool no_links = errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
  return no_links ? std::make_shared<Pinned>(path, false) : nullptr;
}

Result<void> ChunkCache::Make(const std::string& name, const FileContent& content,
                              const Fetch& fetch, const std::stop_token& stop) {
  const std::filesystem::path partial = own_ / name;
  const FileDescriptor file(
      ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!file.IsOpen()) return tl::unexpected(WriteError(partial, errno));
  const auto write = [&]() -> Result<void> {
    for (std::size_t place = 0; place < content.chunks.size(); ++place) {
      if (stop.stop_requested()) return Stopped();
      const Sha256Digest& digest = content.chunks[place];
      std::optional<std::string> bytes = Find(digest);
      if (!bytes && content.chunks.size() > 1) {
        // As a file of its own first: it can be served to others, and a broken transfer goes on.
        const FileContent chunk{ChunkBytes(content.size_bytes, place), {digest}};
        const auto got = GetNamed(
            HexOf(digest), chunk, [&](std::size_t) { return fetch(place); }, stop);
        if (!got) return tl::unexpected(got.error());
        bytes = Find(digest);
      }
      if (!bytes) {
        auto fetched = fetch(place);
        if (!fetched) return tl::unexpected(fetched.error());
        bytes = std::move(*fetched);
      }
      if (protocol::Sha256Of(*bytes) != digest) {
        return Fail(ErrorCode::kUnavailable, "received bytes with a wrong digest");
      }
      if (const int failed = Append(file, *bytes); failed != 0) {
        return tl::unexpected(WriteError(partial, failed));
      }
    }
    if (::fchmod(file.Get(), 0444) != 0 ||
        ::rename(partial.c_str(), (options_.folder / name).c_str()) != 0) {
      return tl::unexpected(WriteError(partial, errno));
    }
    return {};
  };
  auto written = write();
  if (!written) ::unlink(partial.c_str());
  return written;
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
  if (remove) ::unlink((options_.folder / name).c_str());
}

Result<void> ChunkCache::MakeRoom(std::int64_t bytes) {
  std::vector<std::string> removed;
  std::int64_t left = bytes_;
  for (const std::string& name : uses_) {
    if (left + bytes <= options_.limit_bytes) break;
    const Entry& entry = entries_.at(name);
    if (!entry.pin.expired() || making_.contains(name)) continue;
    removed.push_back(name);
    left -= entry.bytes;
  }
  if (left + bytes > options_.limit_bytes) {
    return Fail(ErrorCode::kStorageFull, "the cache of input files may have " +
                                             std::to_string(options_.limit_bytes) +
                                             " bytes: " + std::to_string(left) + " are in use, " +
                                             std::to_string(bytes) + " more are needed");
  }
  for (const std::string& name : removed) Forget(name, true);
  return {};
}

}  // namespace evenkeel::files
