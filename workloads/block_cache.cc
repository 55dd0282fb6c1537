#include "workloads/block_cache.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace evenkeel::workloads {
namespace {

constexpr std::size_t kCacheLineBytes = 64;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
// A block is not rounded up to huge pages if more than this part of it would be added.
constexpr std::size_t kRoundingDivisor = 8;

bool FillsHugePages(std::size_t reserved) { return reserved % kHugePageBytes == 0; }

std::align_val_t AlignmentOf(std::size_t reserved) {
  return std::align_val_t{FillsHugePages(reserved) ? kHugePageBytes : kCacheLineBytes};
}

}  // namespace

std::size_t BlockMemory::ReservedFor(std::size_t bytes) {
  const std::size_t pages = (bytes + kHugePageBytes - 1) / kHugePageBytes;
  const std::size_t rounded = pages * kHugePageBytes;
  return rounded - bytes <= bytes / kRoundingDivisor ? rounded : bytes;
}

BlockMemory::BlockMemory(std::size_t bytes)
    : size_(bytes),
      reserved_(ReservedFor(bytes)),
      bytes_(static_cast<char*>(::operator new(reserved_, AlignmentOf(reserved_)))) {
  // Only a hint: with other sizes of pages, or without huge ones, nothing changes.
  if (FillsHugePages(reserved_)) ::madvise(bytes_, reserved_, MADV_HUGEPAGE);
}

BlockMemory::~BlockMemory() { ::operator delete(bytes_, AlignmentOf(reserved_)); }

std::int64_t BlockCache::ReservedBytes(std::int64_t bytes) {
  return static_cast<std::int64_t>(BlockMemory::ReservedFor(static_cast<std::size_t>(bytes)));
}

BlockCache::~BlockCache() {
  Lock lock(mutex_);
  changed_.wait(lock, [this] { return fetching_ == 0; });
}

Result<std::optional<BlockCache::Pin>> BlockCache::Get(BlockId id, std::int64_t bytes,
                                                       BlockFetcher& fetcher,
                                                       const std::stop_token& stop) {
  Lock lock(mutex_);
  if (!entries_.contains(id)) {
    failed_.erase(id);
    Begin(lock, id, bytes, fetcher);
  }
  const bool there = changed_.wait(lock, stop, [&] {
    const auto found = entries_.find(id);
    return found == entries_.end() || found->second.ready;
  });
  if (!there) return std::optional<Pin>{};
  const auto found = entries_.find(id);
  if (found != entries_.end()) {
    Touch(found->second);
    return std::optional<Pin>{found->second.memory};
  }
  const auto failed = failed_.find(id);
  if (failed != failed_.end()) return tl::unexpected(failed->second);
  return Fail(ErrorCode::kUnavailable, "block " + std::to_string(id) + " was dropped");
}

void BlockCache::Prefetch(BlockId id, std::int64_t bytes, BlockFetcher& fetcher) {
  Lock lock(mutex_);
  if (entries_.contains(id)) return;
  const std::int64_t reserved = ReservedBytes(bytes);
  MakeRoom(reserved);
  if (bytes_ + reserved > limit_bytes_) return;
  Begin(lock, id, bytes, fetcher);
}

std::int64_t BlockCache::Bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

BlockCache::Pin BlockCache::Find(BlockId id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || !found->second.ready) return nullptr;
  Touch(found->second);
  return found->second.memory;
}

void BlockCache::Begin(Lock& lock, BlockId id, std::int64_t bytes, BlockFetcher& fetcher) {
  const std::int64_t reserved = ReservedBytes(bytes);
  MakeRoom(reserved);
  Entry entry;
  entry.use = uses_.insert(uses_.end(), id);
  const auto made = entries_.emplace(id, std::move(entry)).first;
  made->second.memory = std::make_shared<BlockMemory>(static_cast<std::size_t>(bytes));
  const std::shared_ptr<BlockMemory> memory = made->second.memory;
  bytes_ += reserved;
  ++fetching_;
  lock.unlock();
  fetcher.Fetch(id, memory->Bytes(),
                [this, id](const Result<void>& fetched) { Done(id, fetched); });
  lock.lock();
}

void BlockCache::Done(BlockId id, const Result<void>& fetched) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (fetched) {
    found->second.ready = true;
  } else {
    Erase(found);
    failed_.insert_or_assign(id, fetched.error());
  }
  --fetching_;
  changed_.notify_all();  // under the lock: this object may be destroyed right after
}

void BlockCache::Touch(Entry& entry) { uses_.splice(uses_.end(), uses_, entry.use); }

// A thread that fetches into the block or uses it holds a second reference.
bool BlockCache::Unused(const Entry& entry) { return entry.ready && entry.memory.use_count() == 1; }

void BlockCache::Erase(std::unordered_map<BlockId, Entry>::iterator entry) {
  bytes_ -= ReservedBytes(static_cast<std::int64_t>(entry->second.memory->Bytes().size()));
  uses_.erase(entry->second.use);
  entries_.erase(entry);
}

void BlockCache::Drop(BlockId id) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end() && Unused(found->second)) Erase(found);
}

void BlockCache::MakeRoom(std::int64_t bytes) {
  for (auto use = uses_.begin(); use != uses_.end() && bytes_ + bytes > limit_bytes_;) {
    const auto entry = entries_.find(*use++);
    if (Unused(entry->second)) Erase(entry);
  }
}

}  // namespace evenkeel::workloads
