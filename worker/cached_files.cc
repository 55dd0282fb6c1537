#include "worker/cached_files.h"

namespace evenkeel::worker {

Result<SharedBytes> CachedFiles::Read(const protocol::ChunkCall& call) {
  const auto chunk = call.digest ? cache_.Find(*call.digest, patience_) : std::nullopt;
  if (!chunk) return Fail(ErrorCode::kUnavailable, "the chunk is not here");
  return chunk->Bytes();
}

}  // namespace evenkeel::worker
