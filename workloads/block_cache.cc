#include "workloads/block_cache.h"

#include <new>
#include <utility>

namespace evenkeel::workloads {
namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

BlockMemory::BlockMemory(std::size_t bytes)
    : bytes_(static_cast<char*>(::operator new(bytes, kAlignment))), size_(bytes) {}

BlockMemory::~BlockMemory() { ::operator delete(bytes_, kAlignment); }

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
  MakeRoom(bytes);
  if (bytes_ + bytes > limit_bytes_) return;
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
  MakeRoom(bytes);
  Entry entry;
  entry.use = uses_.insert(uses_.end(), id);
  const auto made = entries_.emplace(id, std::move(entry)).first;
  made->second.memory = std::make_shared<BlockMemory>(static_cast<std::size_t>(bytes));
  const std::shared_ptr<BlockMemory> memory = made->second.memory;
  bytes_ += bytes;
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
  bytes_ -= static_cast<std::int64_t>(entry->second.memory->Bytes().size());
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
