#pragma once

#include "core/protocol/chunk_service.h"
#include "workloads/block_cache.h"

namespace evenkeel::worker {

/// The blocks in this worker's memory, for other workers. Thread-safe.
class CachedBlocks final : public protocol::ChunkSource {
 public:
  /// `cache` must outlive it.
  explicit CachedBlocks(workloads::BlockCache& cache) : cache_(cache) {}
  /// kUnavailable if the block is not here.
  Result<SharedBytes> Read(const protocol::ChunkCall& call) override;

 private:
  workloads::BlockCache& cache_;
};

}  // namespace evenkeel::worker
