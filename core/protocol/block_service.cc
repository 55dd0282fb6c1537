#include "core/protocol/block_service.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "core/protocol/limits.h"
#include "core/protocol/peer_name.h"

namespace evenkeel::protocol {
BlockService::BlockService(Options options, PieceSource& source, TrafficCounter& traffic)
    : options_(std::move(options)), source_(source), traffic_(traffic) {
  for (std::size_t n = 0; n < options_.readers; ++n) {
    readers_.emplace_back([this] { ReadWaiting(); });
  }
}

BlockService::~BlockService() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  filled_.notify_all();
  for (std::thread& reader : readers_) reader.join();
}

grpc::ServerUnaryReactor* BlockService::Fetch(grpc::CallbackServerContext* context,
                                              const grpc::ByteBuffer* request,
                                              grpc::ByteBuffer* response) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  PieceCall call;
  if (const grpc::Status status = Check(*context, *request, call); !status.ok()) {
    reactor->Finish(status);
    return reactor;
  }
  const std::lock_guard lock(mutex_);
  if (ending_) {
    reactor->Finish({grpc::StatusCode::UNAVAILABLE, "the server is shutting down"});
  } else {
    waiting_.push_back({std::move(call), context, reactor, response});
    filled_.notify_one();
  }
  return reactor;
}

grpc::Status BlockService::Check(const grpc::CallbackServerContext& context,
                                 const grpc::ByteBuffer& request, PieceCall& call) const {
  if (!options_.client_name.empty() && !PeerHasName(context, options_.client_name)) {
    return {grpc::StatusCode::PERMISSION_DENIED,
            "the certificate does not have the name " + options_.client_name};
  }
  v1::PieceRequest asked;
  grpc::ByteBuffer copy = request;  // reading consumes the buffer
  if (!grpc::SerializationTraits<v1::PieceRequest>::Deserialize(&copy, &asked).ok()) {
    return {grpc::StatusCode::INVALID_ARGUMENT, "malformed request"};
  }
  if (asked.token() != options_.token) {
    return {grpc::StatusCode::PERMISSION_DENIED, "the token is wrong"};
  }
  const auto size = static_cast<std::uint64_t>(source_.SizeOf(asked.block()));
  if (size == 0) return {grpc::StatusCode::NOT_FOUND, ""};
  if (asked.size() < 1 || asked.size() > kMaxPieceBytes || asked.offset() > size ||
      asked.size() > size - asked.offset()) {
    return {grpc::StatusCode::OUT_OF_RANGE, "the piece is outside of the block"};
  }
  call.block = asked.block();
  call.offset = static_cast<std::int64_t>(asked.offset());
  call.size = static_cast<std::int64_t>(asked.size());
  call.only_here = asked.only_here();
  call.client = AddressOfPeer(context.peer(), asked.port());
  return grpc::Status::OK;
}

grpc::Status BlockService::Answer(const Waiting& request) {
  const PieceCall& call = request.call;
  if (!call.only_here) {
    const Redirection elsewhere = source_.Redirect(call);
    if (!elsewhere.holder.empty()) {
      request.context->AddTrailingMetadata(
          kPieceDigestKey, std::string(elsewhere.digest.data(), elsewhere.digest.size()));
      return {grpc::StatusCode::NOT_FOUND, elsewhere.holder};
    }
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
  *request.response = grpc::ByteBuffer(&slice, 1);
  traffic_.Sent(1, slice.size());
  return grpc::Status::OK;
}

void BlockService::ReadWaiting() {
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const grpc::Status status = Answer(next);
    next.reactor->Finish(status);
    lock.lock();
  }
}

}  // namespace evenkeel::protocol
