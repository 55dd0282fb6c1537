#include "coordinator/block_home.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "core/protocol/limits.h"

namespace evenkeel::coordinator {
namespace {

using protocol::BlockPlace;

/// The index of the chunk in its block of `block_bytes`, if it is one of those of kPieceBytes into
/// which clients divide a block. Others may not be remembered: there are too many.
std::optional<std::size_t> IndexOf(const BlockPlace& place, std::int64_t block_bytes) {
  const std::int64_t whole = std::min(protocol::kPieceBytes, block_bytes - place.offset_bytes);
  if (place.offset_bytes % protocol::kPieceBytes != 0 || place.size_bytes != whole) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(place.offset_bytes / protocol::kPieceBytes);
}

}  // namespace

protocol::Redirection BlockHome::Redirect(const protocol::ChunkCall& call) {
  const auto* const place = std::get_if<BlockPlace>(&call.place);
  if (!between_workers_ || place == nullptr) return {};
  const auto index = IndexOf(*place, blocks_.SizeOf(place->block));
  if (!index) return {};
  const std::lock_guard lock(mutex_);
  const auto found = sent_.find(place->block);
  if (found == sent_.end()) return {};
  const auto& digests = found->second.digests;
  if (*index >= digests.size() || !digests[*index]) return {};
  std::string holder = found->second.holders.Next(call.client);
  if (holder.empty()) return {};
  return {std::move(holder), *digests[*index]};
}

Result<SharedBytes> BlockHome::Read(const protocol::ChunkCall& call) {
  const auto* const place = std::get_if<BlockPlace>(&call.place);
  if (place == nullptr) return InvalidInput("the coordinator of this job has blocks, and no files");
  const std::int64_t size = blocks_.SizeOf(place->block);
  if (size == 0) return InvalidInput("the coordinator has no such block");
  if (place->offset_bytes > size || place->size_bytes > size - place->offset_bytes) {
    return InvalidInput("the chunk is outside of the block");
  }
  const auto count = static_cast<std::size_t>(place->size_bytes);
  auto bytes = std::make_shared_for_overwrite<char[]>(count);
  const std::span<char> into(bytes.get(), count);
  if (auto read = blocks_.Read(place->block, place->offset_bytes, into); !read) {
    return InvalidInput(read.error().message);
  }
  SharedBytes chunk(std::move(bytes), {std::string_view(into.data(), into.size())});
  if (between_workers_) {
    NoteDigest(*place, size, chunk);
    NoteHolder(*place, size, call);
  }
  return chunk;
}

void BlockHome::NoteDigest(const BlockPlace& place, std::int64_t block_bytes,
                           const SharedBytes& chunk) {
  const auto index = IndexOf(place, block_bytes);
  if (!index) return;
  {
    const std::lock_guard lock(mutex_);
    const auto& digests = sent_[place.block].digests;
    if (*index < digests.size() && digests[*index]) return;
  }
  const protocol::Sha256Digest digest = protocol::Sha256Of(chunk);
  const std::lock_guard lock(mutex_);
  auto& digests = sent_[place.block].digests;
  if (digests.size() <= *index) digests.resize(*index + 1);
  digests[*index] = digest;
}

void BlockHome::NoteHolder(const BlockPlace& place, std::int64_t block_bytes,
                           const protocol::ChunkCall& call) {
  // With its last chunk the client has the block, or nearly so.
  const bool last = place.offset_bytes + place.size_bytes == block_bytes;
  if (!last || call.client.empty()) return;
  const std::lock_guard lock(mutex_);
  sent_[place.block].holders.Note(call.client, call.only_here);
}

}  // namespace evenkeel::coordinator
