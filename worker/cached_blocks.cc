#include "worker/cached_blocks.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace evenkeel::worker {

Result<SharedBytes> CachedBlocks::Read(const protocol::ChunkCall& call) {
  const auto* const place = std::get_if<protocol::BlockPlace>(&call.place);
  const auto found = place != nullptr ? cache_.Find(place->block) : nullptr;
  if (!found) return Fail(ErrorCode::kUnavailable, "the block is not here");
  const auto bytes = found->Bytes();
  const auto offset = static_cast<std::size_t>(place->offset_bytes);
  const auto size = static_cast<std::size_t>(place->size_bytes);
  if (offset > bytes.size() || size > bytes.size() - offset) {
    return InvalidInput("the chunk is outside of the block");
  }
  const std::string_view chunk(bytes.data() + offset, size);
  // The cache cannot drop a block that is being sent.
  if (cache_.Bytes() > cache_.LimitBytes()) return SharedBytes(std::string(chunk));
  return SharedBytes(found, {chunk});
}

}  // namespace evenkeel::worker
