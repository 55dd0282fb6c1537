#pragma once

#include <chrono>

#include "core/protocol/chunk_service.h"
#include "files/chunk_cache.h"

namespace evenkeel::worker {

/// The chunks of files in the cache of this node, for other workers. Thread-safe.
class CachedFiles final : public protocol::ChunkSource {
 public:
  /// `cache` must outlive it. Other workers wait for a chunk that is on its way to this one, at
  /// most for `patience`.
  explicit CachedFiles(files::ChunkCache& cache,
                       std::chrono::milliseconds patience = std::chrono::seconds(2))
      : cache_(cache), patience_(patience) {}
  /// kUnavailable if the chunk is not here.
  Result<SharedBytes> Read(const protocol::ChunkCall& call) override;

 private:
  files::ChunkCache& cache_;
  const std::chrono::milliseconds patience_;
};

}  // namespace evenkeel::worker
