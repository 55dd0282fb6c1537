#include "core/protocol/block_service.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "core/protocol/byte_buffers.h"
#include "core/protocol/limits.h"
#include "core/protocol/peer_name.h"

namespace evenkeel::protocol {

BlockService::BlockService(Options options, PieceSource& source, TrafficCounter& traffic)
    : source_(source), traffic_(traffic), calls_(std::move(options)) {}

grpc::ServerUnaryReactor* BlockService::Fetch(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) {
  v1::PieceRequest asked;
  grpc::Status status = calls_.DecodeAuthenticated(*context, *request, asked);
  if (status.ok()) status = Check(asked);
  if (!status.ok()) return BlockingCallQueue::Refuse(*context, status);
  PieceCall call;
  call.block = asked.block();
  call.offset = static_cast<std::int64_t>(asked.offset());
  call.size = static_cast<std::int64_t>(asked.size());
  call.only_here = asked.only_here();
  call.client = AddressOfPeer(context->peer(), asked.port());
  return calls_.Enqueue(*context, [this, call = std::move(call), context, response] {
    return Answer(call, *context, *response);
  });
}

grpc::Status BlockService::Check(const v1::PieceRequest& asked) const {
  const auto size = static_cast<std::uint64_t>(source_.SizeOf(asked.block()));
  if (size == 0) return {grpc::StatusCode::NOT_FOUND, ""};
  if (asked.size() < 1 || asked.size() > kMaxPieceBytes || asked.offset() > size ||
      asked.size() > size - asked.offset()) {
    return {grpc::StatusCode::OUT_OF_RANGE, "the piece is outside of the block"};
  }
  return grpc::Status::OK;
}

grpc::Status BlockService::Answer(const PieceCall& call, grpc::CallbackServerContext& context,
                                  grpc::ByteBuffer& response) {
  if (!call.only_here) {
    const Redirection elsewhere = source_.Redirect(call);
    if (!elsewhere.holder.empty()) {
      context.AddTrailingMetadata(kPieceDigestKey,
                                  std::string(elsewhere.digest.data(), elsewhere.digest.size()));
      return {grpc::StatusCode::NOT_FOUND, elsewhere.holder};
    }
  }
  if (const auto shared = source_.Share(call)) {
    response = BufferOf(*shared);
    traffic_.Sent(1, shared->Size());
    return grpc::Status::OK;
  }
  grpc::Slice slice(static_cast<std::size_t>(call.size));
  // Not shared yet, so it may be written.
  auto* const bytes = const_cast<std::uint8_t*>(slice.begin());
  const std::span<char> into(static_cast<char*>(static_cast<void*>(bytes)), slice.size());
  if (const Result<void> read = source_.Read(call, into); !read) {
    // A worker may have dropped the block meanwhile: NOT_FOUND sends the client to the coordinator.
    const bool gone = source_.SizeOf(call.block) == 0;
    return {gone ? grpc::StatusCode::NOT_FOUND : grpc::StatusCode::DATA_LOSS,
            gone ? "" : read.error().message};
  }
  response = grpc::ByteBuffer(&slice, 1);
  traffic_.Sent(1, slice.size());
  return grpc::Status::OK;
}

}  // namespace evenkeel::protocol
