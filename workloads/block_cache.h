#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>

#include "workloads/data_blocks.h"

namespace evenkeel::workloads {

/// Memory for one block, aligned to cache lines.
class BlockMemory {
 public:
  explicit BlockMemory(std::size_t bytes);
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;
  ~BlockMemory();
  [[nodiscard]] std::span<char> Bytes() const { return {bytes_, size_}; }

 private:
  char* bytes_;
  std::size_t size_;
};

/// Blocks in a worker's memory, shared by its threads: each is fetched once, and kept while it is
/// in use and, beyond that, while there is room; what was used longest ago goes first. Thread-safe.
class BlockCache {
 public:
  /// A block that stays in memory for as long as this is held.
  using Pin = std::shared_ptr<const BlockMemory>;

  /// Blocks in use may exceed `limit_bytes`: how many are used at a time is up to the tasks.
  explicit BlockCache(std::int64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;
  /// Waits for the fetches that are under way.
  ~BlockCache();

  /// The block, fetched if need be. Waits; nothing if `stop` was requested meanwhile. Errors: those
  /// of the fetcher; the next call tries again.
  [[nodiscard]] Result<std::optional<Pin>> Get(BlockId id, std::int64_t bytes,
                                               BlockFetcher& fetcher, const std::stop_token& stop);
  /// Starts to fetch the block unless it is there or there is no room for it.
  void Prefetch(BlockId id, std::int64_t bytes, BlockFetcher& fetcher);

  /// Forgets the block unless it is in use or on its way.
  void Drop(BlockId id);

  /// Bytes of all blocks that are here or on their way.
  [[nodiscard]] std::int64_t Bytes() const;
  [[nodiscard]] std::int64_t LimitBytes() const { return limit_bytes_; }

  /// The block if it is here; it counts as used.
  [[nodiscard]] Pin Find(BlockId id);

 private:
  struct Entry {
    std::shared_ptr<BlockMemory> memory;
    bool ready = false;
    std::list<BlockId>::iterator use;  // place in uses_
  };
  using Lock = std::unique_lock<std::mutex>;

  /// Makes an entry and fetches into it, without the lock.
  void Begin(Lock& lock, BlockId id, std::int64_t bytes, BlockFetcher& fetcher);
  void Done(BlockId id, const Result<void>& fetched);
  void Touch(Entry& entry);
  [[nodiscard]] static bool Unused(const Entry& entry);
  void Erase(std::unordered_map<BlockId, Entry>::iterator entry);
  /// Drops unused blocks, oldest first, until `bytes` more fit. The lock must be held.
  void MakeRoom(std::int64_t bytes);

  const std::int64_t limit_bytes_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::unordered_map<BlockId, Entry> entries_;
  std::unordered_map<BlockId, Error> failed_;  // until a waiting thread has seen it
  std::list<BlockId> uses_;                    // the one used last is at the end
  std::int64_t bytes_ = 0;
  std::int64_t fetching_ = 0;
};

}  // namespace evenkeel::workloads
