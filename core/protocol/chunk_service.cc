#include "core/protocol/chunk_service.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/protocol/byte_buffers.h"
#include "core/protocol/limits.h"
#include "core/protocol/peer_name.h"

namespace evenkeel::protocol {
namespace {

/// Nothing if there is no place, or its numbers are out of range.
std::optional<ChunkPlace> PlaceOf(const v1::ChunkRequest& request) {
  if (request.has_file()) {
    const auto chunk = request.file().chunk();
    if (chunk > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return FilePlace{request.file().path(), static_cast<std::size_t>(chunk)};
  }
  if (!request.has_block()) return std::nullopt;
  const v1::BlockPlace& block = request.block();
  constexpr auto kMostOffset =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() - kMaxPieceBytes);
  if (block.size() < 1 || block.size() > kMaxPieceBytes || block.offset() > kMostOffset) {
    return std::nullopt;
  }
  return BlockPlace{block.block(), static_cast<std::int64_t>(block.offset()),
                    static_cast<std::int64_t>(block.size())};
}

}  // namespace

void SetPlace(const ChunkPlace& place, v1::ChunkRequest& request) {
  if (const auto* const file = std::get_if<FilePlace>(&place)) {
    request.mutable_file()->set_path(file->path);
    request.mutable_file()->set_chunk(file->chunk);
    return;
  }
  const auto& block = std::get<BlockPlace>(place);
  request.mutable_block()->set_block(block.block);
  request.mutable_block()->set_offset(static_cast<std::uint64_t>(block.offset_bytes));
  request.mutable_block()->set_size(static_cast<std::uint64_t>(block.size_bytes));
}

ChunkService::ChunkService(Options options, ChunkSource& source, TrafficCounter& traffic)
    : source_(source), traffic_(traffic), calls_(std::move(options)) {}

grpc::ServerUnaryReactor* ChunkService::Fetch(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) {
  return calls_.Take<v1::ChunkRequest>(
      *context, *request,
      [&](const v1::ChunkRequest& asked) -> std::optional<BlockingCallQueue::Call> {
        ChunkCall call;
        auto place = PlaceOf(asked);
        const bool named = asked.digest().size() == sizeof(Sha256Digest);
        if (!place || (!named && (asked.has_file() || !asked.digest().empty()))) {
          return std::nullopt;
        }
        call.place = std::move(*place);
        if (named) {
          std::copy(asked.digest().begin(), asked.digest().end(), call.digest.emplace().begin());
        }
        call.only_here = asked.only_here();
        call.client = AddressOfPeer(context->peer(), asked.port());
        return BlockingCallQueue::Call{[this, call = std::move(call), context, response] {
          return Answer(call, *context, *response);
        }};
      });
}

grpc::Status ChunkService::Answer(const ChunkCall& call, grpc::CallbackServerContext& context,
                                  grpc::ByteBuffer& response) {
  if (!call.only_here) {
    const Redirection elsewhere = source_.Redirect(call);
    if (!elsewhere.holder.empty()) {
      context.AddTrailingMetadata(kChunkDigestKey,
                                  std::string(elsewhere.digest.data(), elsewhere.digest.size()));
      return {grpc::StatusCode::NOT_FOUND, elsewhere.holder};
    }
  }
  const auto bytes = source_.Read(call);
  if (!bytes) return BlockingCallQueue::StatusOf(bytes.error());
  response = BufferOf(*bytes);
  traffic_.Sent(1, bytes->Size());
  return grpc::Status::OK;
}

}  // namespace evenkeel::protocol
