#include "worker/cached_blocks.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace evenkeel::worker {

Result<SharedBytes> CachedBlocks::Read(const protocol::ChunkCall& call) {
  const auto* const place = std::get_if<protocol::BlockPlace>(&call.place);
  const auto found = place != nullptr ? cache_.Find(place->block) : nullptr;
  if (!found) return Fail(ErrorCode::kUnavailable, "the block is not here");
  const auto bytes = found->Bytes();
  const auto block_bytes = static_cast<std::int64_t>(bytes.size());
  if (place->offset_bytes > block_bytes || place->size_bytes > block_bytes - place->offset_bytes) {
    return InvalidInput("the chunk is outside of the block");
  }
  const std::string_view chunk(bytes.data() + place->offset_bytes,
                               static_cast<std::size_t>(place->size_bytes));
  // The cache cannot drop a block that is being sent.
  if (cache_.Bytes() > cache_.LimitBytes()) return SharedBytes(std::string(chunk));
  return SharedBytes(found, {chunk});
}

}  // namespace evenkeel::worker
