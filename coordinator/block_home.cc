#include "coordinator/block_home.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/protocol/limits.h"

namespace evenkeel::coordinator {
namespace {

/// The place of the piece in its block of `block_bytes`, if it is one of those of kPieceBytes into
/// which clients divide a block. Others may not be remembered: there are too many.
std::optional<std::size_t> PlaceOf(const protocol::PieceCall& call, std::int64_t block_bytes) {
  const std::int64_t whole = std::min(protocol::kPieceBytes, block_bytes - call.offset);
  if (call.offset % protocol::kPieceBytes != 0 || call.size != whole) return std::nullopt;
  return static_cast<std::size_t>(call.offset / protocol::kPieceBytes);
}

}  // namespace

protocol::Redirection BlockHome::Redirect(const protocol::PieceCall& call) {
  if (!between_workers_) return {};
  const auto place = PlaceOf(call, blocks_.SizeOf(call.block));
  if (!place) return {};
  const std::lock_guard lock(mutex_);
  const auto found = sent_.find(call.block);
  if (found == sent_.end()) return {};
  const auto& digests = found->second.digests;
  if (*place >= digests.size() || !digests[*place]) return {};
  std::string holder = found->second.holders.Next(call.client);
  if (holder.empty()) return {};
  return {std::move(holder), *digests[*place]};
}

Result<void> BlockHome::Read(const protocol::PieceCall& call, std::span<char> into) {
  if (auto read = blocks_.Read(call.block, call.offset, into); !read) return read;
  if (!between_workers_) return {};
  NoteDigest(call, into);
  NoteHolder(call);
  return {};
}

void BlockHome::NoteDigest(const protocol::PieceCall& call, std::span<const char> piece) {
  const auto place = PlaceOf(call, blocks_.SizeOf(call.block));
  if (!place) return;
  {
    const std::lock_guard lock(mutex_);
    const auto& digests = sent_[call.block].digests;
    if (*place < digests.size() && digests[*place]) return;
  }
  const protocol::Sha256Digest digest = protocol::Sha256Of({piece.data(), piece.size()});
  const std::lock_guard lock(mutex_);
  auto& digests = sent_[call.block].digests;
  if (digests.size() <= *place) digests.resize(*place + 1);
  digests[*place] = digest;
}

void BlockHome::NoteHolder(const protocol::PieceCall& call) {
  // With its last piece the client has the block, or nearly so.
  const bool last = call.offset + call.size == blocks_.SizeOf(call.block);
  if (!last || call.client.empty()) return;
  const std::lock_guard lock(mutex_);
  sent_[call.block].holders.Note(call.client, call.only_here);
}

}  // namespace evenkeel::coordinator
