#include "files/chunk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "files/chunks_ahead.h"
#include "platform/files.h"

namespace evenkeel::files {
namespace {

using platform::FileDescriptor;
using platform::WriteError;

// Chunks of files in the folder that are known from the start; bounds memory and time.
constexpr std::size_t kMaxChunksNoted = 100'000;
constexpr int kToRead = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

tl::unexpected<Error> Stopped() {
  return Fail(ErrorCode::kUnavailable, "the task was stopped while it waited for its files");
}

bool IsFull(int error_number) {
  return WriteError({}, error_number).code == ErrorCode::kStorageFull;
}

/// The chunk at this place of a file, if it is there and right.
std::optional<Chunk> RightChunk(const std::filesystem::path& path, const ChunkPlaces::Place& place,
                                const Sha256Digest& digest) {
  const FileDescriptor file(::open(path.c_str(), kToRead));
  if (!file.IsOpen()) return std::nullopt;
  const std::int64_t end = static_cast<std::int64_t>(place.place) * kChunkBytes + place.bytes;
  auto chunk = ReadChunk(file, end, place.place);
  if (!chunk || chunk->Digest() != digest) return std::nullopt;
  return std::move(*chunk);
}

}  // namespace

ChunkCache::Pinned::~Pinned() {
  if (link_) ::unlink(path_.c_str());
}

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

Result<void> ChunkCache::Use(const std::filesystem::path& path) {
  auto folder = CacheFolder::Open(path);
  if (!folder) return tl::unexpected(folder.error());
  former_ = std::exchange(folder_, std::move(*folder));
  Scan();
  return {};
}

bool ChunkCache::UseFallback(const CacheFolder* failed, const Error& error) {
  const std::filesystem::path& fallback = options_.fallback_folder;
  if (folder_.get() != failed) return true;  // another thread was faster
  const bool is_fallback = folder_ != nullptr && folder_->Path() == fallback;
  if (fallback.empty() || is_fallback || !Use(fallback)) return false;
  Log(LogLevel::kWarning,
      error.message + "; from now on, input files are cached in " + fallback.string());
  return true;
}

void ChunkCache::Scan() {
  version_keys_.clear();
  std::vector<CacheFolder::Found> found = folder_->Files();
  std::erase_if(found, [this](const auto& file) { return entries_.contains(file.name); });
  for (std::size_t n = 0; n < found.size(); ++n) {
    const CacheFolder::Found& file = found[n];
    Insert(file.name, file.bytes);
    if (!file.is_part && found.size() - n <= kMaxVersionKeys) {
      version_keys_.push_back(VersionKey(file.bytes, file.modified_nanoseconds));
    }
  }
  static_cast<void>(MakeRoom(0));  // what is in use is not removed
  NoteChunks();
}

void ChunkCache::NoteChunks() {
  std::size_t left = kMaxChunksNoted;
  for (auto name = uses_.rbegin(); name != uses_.rend(); ++name) {
    const std::int64_t bytes = entries_.at(*name).bytes;
    const std::size_t count = ChunkCount(bytes);
    if (count < 2 || count > left) continue;
    left -= count;
    if (const auto content = folder_->ReadChunkList(*name, bytes)) {
      places_.NoteAll(*content, *name);
    }
  }
}

std::vector<std::uint64_t> ChunkCache::VersionKeys() const {
  const std::lock_guard lock(mutex_);
  return version_keys_;
}

Result<ChunkCache::Pin> ChunkCache::Get(const FileContent& content, const Fetch& fetch,
                                        const std::stop_token& stop,
                                        std::int64_t modified_nanoseconds) {
  if (!IsConsistent(content)) return InvalidInput("the number of chunks does not fit to the size");
  const std::string name = CachedName(content);
  const Request request{name, content, fetch, modified_nanoseconds};
  // Another process may remove a file between its making and its use.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Lock lock(mutex_);
    const bool free = changed_.wait(lock, stop, [&] { return !making_.contains(name); });
    if (!free || stop.stop_requested()) return Stopped();
    making_.insert(name);  // one thread at a time makes or verifies a file
    Pin pin = PinEntry(lock, name, content, /*made_now=*/false);
    Outcome made;
    bool again = false;
    if (pin == nullptr) {
      const Folder folder = folder_;
      made = MakeReserved(lock, request, stop);
      again = made.unwritable && UseFallback(folder.get(), made.result.error());
      if (made.result) pin = PinEntry(lock, name, content, /*made_now=*/true);
    }
    making_.erase(name);
    changed_.notify_all();
    if (again) continue;
    if (!made.result) return tl::unexpected(made.result.error());
    if (pin != nullptr) return pin;
  }
  return Fail(ErrorCode::kUnavailable,
              options_.folder.string() + ": files disappear or change before they can be used");
}

ChunkCache::Outcome ChunkCache::MakeReserved(Lock& lock, const Request& request,
                                             const std::stop_token& stop) {
  const std::int64_t bytes = request.content.size_bytes;
  const std::string part = PartialName(request.name);
  // Its part is among these bytes, and must not be removed now.
  std::int64_t part_bytes = 0;
  if (const auto found = entries_.find(part); found != entries_.end()) {
    part_bytes = found->second.bytes;
    Forget(part, false);
  }
  Outcome made;
  if (made.result = MakeRoom(bytes); made.result) {
    bytes_ += bytes;
    const Folder folder = folder_;
    lock.unlock();
    made = Make(*folder, request, stop);
    lock.lock();
    bytes_ -= bytes;
    part_bytes = made.kept_bytes;
  }
  if (made.result) {
    Forget(request.name, false);
    Insert(request.name, bytes);
  } else if (part_bytes > 0) {
    Insert(part, part_bytes);
  }
  return made;
}

std::optional<Chunk> ChunkCache::Find(const Sha256Digest& chunk,
                                      std::chrono::milliseconds patience) {
  const std::string name = HexOf(chunk);
  std::vector<ChunkPlaces::Place> places;
  Folder folder;
  {
    Lock lock(mutex_);
    if (patience.count() > 0) {
      changed_.wait_for(lock, patience,
                        [&] { return !making_.contains(name) && !obtaining_.contains(chunk); });
    }
    places = places_.Find(chunk);
    if (const auto alone = entries_.find(name); alone != entries_.end()) {
      places.push_back({name, 0, alone->second.bytes});
    }
    for (const ChunkPlaces::Place& place : places) {
      const auto file = entries_.find(place.file);
      if (file != entries_.end()) uses_.splice(uses_.end(), uses_, file->second.use);
    }
    folder = folder_;
  }
  for (const ChunkPlaces::Place& place : places) {
    // In the order in which a file that is being made moves.
    const std::string part = PartialName(place.file);
    for (const std::filesystem::path& path :
         {folder->OwnPathOf(part), folder->PathOf(place.file), folder->PathOf(part)}) {
      if (auto found = RightChunk(path, place, chunk)) return found;
    }
  }
  return std::nullopt;
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
  const bool right_before = made_now || (found->second.verified && !options_.verify_each_use);
  if (pin != nullptr && !right_before) {
    lock.unlock();
    const FileDescriptor file(::open(pin->Path().c_str(), kToRead));
    const bool right = HasContent(file, content);
    lock.lock();
    if (!right) {
      pin.reset();
      KeepRightChunks(name, file, content);
    }
  }
  // A pinned entry is not removed, and only one thread at a time is here for this name.
  if (pin == nullptr) {
    Forget(name, true);
    return nullptr;
  }
  const bool noted = made_now || found->second.verified;
  if (!noted && content.chunks.size() > 1) places_.NoteAll(content, name);
  found->second.verified = true;
  uses_.splice(uses_.end(), uses_, found->second.use);
  // The order of use, for the next process. The time of the last change stays, because a task whose
  // directory is being made could take the file for changed.
  const struct timespec used[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  ::utimensat(AT_FDCWD, pin->Path().c_str(), used, 0);
  return pin;
}

void ChunkCache::KeepRightChunks(const std::string& name, const FileDescriptor& file,
                                 const FileContent& content) {
  struct stat status {};
  const bool usable = content.chunks.size() > 1 && file.IsOpen() &&
                      ::fstat(file.Get(), &status) == 0 && status.st_nlink == 1 &&
                      status.st_size <= content.size_bytes && ::fchmod(file.Get(), 0644) == 0;
  const std::string part = PartialName(name);
  if (usable && ::rename(folder_->PathOf(name).c_str(), folder_->PathOf(part).c_str()) == 0) {
    Forget(part, false);
    Insert(part, PartialFile::BytesOnDisk(status));
  }
}

ChunkCache::Pin ChunkCache::OpenPinned(const std::string& name) {
  const std::filesystem::path path = folder_->PathOf(name);
  const std::filesystem::path link = folder_->OwnPathOf(std::to_string(++last_link_));
  if (::link(path.c_str(), link.c_str()) == 0) return std::make_shared<Pinned>(link, true);
  // Without hard links, other processes can remove the file while it is in use.
  const bool no_links = errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
  return no_links ? std::make_shared<Pinned>(path, false) : nullptr;
}

ChunkCache::Outcome ChunkCache::Unwritable(const CacheFolder& folder, int error_number) {
  return {tl::unexpected(WriteError(folder.Path(), error_number)), true};
}

ChunkCache::Outcome ChunkCache::Make(const CacheFolder& folder, const Request& request,
                                     const std::stop_token& stop) {
  const std::size_t count = request.content.chunks.size();
  const std::string part = PartialName(request.name);
  const std::filesystem::path kept = count > 1 ? folder.PathOf(part) : std::filesystem::path();
  const auto file = PartialFile::Open(folder.OwnPathOf(part), kept, request.content.size_bytes);
  if (file == nullptr) return Unwritable(folder, errno);
  std::stop_source rest;  // ends a fetch ahead when the chunk in its turn cannot be had
  const std::stop_callback stop_rest(stop, [&rest] { rest.request_stop(); });
  const auto put = [&](std::size_t place) {
    // `rest` may not know of a stop yet.
    return stop.stop_requested() ? Outcome{Stopped()}
                                 : PutChunk({folder, *file, request}, place, rest.get_token());
  };
  Outcome made;
  {
    std::optional<ChunksAhead> chunks_ahead;
    if (count > 1) {
      chunks_ahead.emplace(count, [&](std::size_t place) { return put(place).result.has_value(); });
    }
    for (std::size_t place = 0; place < count && made.result; ++place) {
      if (chunks_ahead && chunks_ahead->Take(place, stop)) continue;
      made = put(place);
    }
    if (!made.result) rest.request_stop();
  }
  if (!made.result) {
    if (!made.unwritable && count > 1) made.kept_bytes = file->Keep(kept).value_or(0);
    return made;
  }
  const int failed = file->Complete(folder.PathOf(request.name), request.modified_nanoseconds);
  if (failed != 0) return Unwritable(folder, failed);
  if (count > 1) folder.WriteChunkList(request.content);
  return made;
}

ChunkCache::Outcome ChunkCache::PutChunk(const Transfer& transfer, std::size_t place,
                                         const std::stop_token& stop) {
  const FileContent& content = transfer.request.content;
  const Sha256Digest& digest = content.chunks[place];
  {
    Lock lock(mutex_);
    const bool free = changed_.wait(lock, stop, [&] { return !obtaining_.contains(digest); });
    if (!free || stop.stop_requested()) return {Stopped()};
    obtaining_.insert(digest);
  }
  Outcome put = PutChunkAlone(transfer, place, stop);
  const std::lock_guard lock(mutex_);
  if (put.result && content.chunks.size() > 1) {
    places_.Note(digest, {transfer.request.name, place, ChunkBytes(content.size_bytes, place)});
  }
  obtaining_.erase(digest);
  changed_.notify_all();
  return put;
}

ChunkCache::Outcome ChunkCache::PutChunkAlone(const Transfer& transfer, std::size_t place,
                                              const std::stop_token& stop) {
  const Sha256Digest& digest = transfer.request.content.chunks[place];
  if (transfer.file.Has(place, digest)) return {};
  std::optional<Chunk> chunk = Find(digest);
  if (!chunk) {
    auto fetched = transfer.request.fetch(place, stop);
    if (!fetched) return {tl::unexpected(fetched.error())};
    if (fetched->Digest() != digest) {
      return {Fail(ErrorCode::kUnavailable, "received bytes with a wrong digest")};
    }
    chunk = std::move(*fetched);
  }
  const int failed = WriteWithRoom(transfer.file, place, chunk->Bytes());
  return failed == 0 ? Outcome{} : Unwritable(transfer.folder, failed);
}

int ChunkCache::WriteWithRoom(PartialFile& file, std::size_t place, const SharedBytes& bytes) {
  for (;;) {
    const int failed = file.Write(place, bytes);
    if (failed == 0 || !IsFull(failed)) return failed;
    const std::lock_guard lock(mutex_);
    if (!RemoveUnused(static_cast<std::int64_t>(bytes.Size()))) return failed;
  }
}

void ChunkCache::InsertFound(const std::string& name, std::int64_t bytes) {
  struct stat status {};
  const bool found = ::lstat((folder_->PathOf(name)).c_str(), &status) == 0 &&
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
  if (!remove) return;
  folder_->Remove(name);
  places_.Forget(WholeName(name));
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
