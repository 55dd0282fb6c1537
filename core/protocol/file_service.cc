#include "core/protocol/file_service.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "core/protocol/limits.h"
#include "core/protocol/peer_name.h"

namespace evenkeel::protocol {
namespace {

grpc::Status StatusOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidInput:
      return {grpc::StatusCode::FAILED_PRECONDITION, error.message};
    case ErrorCode::kUnavailable:
      return {grpc::StatusCode::UNAVAILABLE, error.message};
    default:
      return {grpc::StatusCode::INTERNAL, error.message};
  }
}

template <typename Message>
bool Decode(const grpc::ByteBuffer& request, Message& message) {
  grpc::ByteBuffer copy = request;  // reading consumes the buffer
  return grpc::SerializationTraits<Message>::Deserialize(&copy, &message).ok();
}

const grpc::Status kMalformed{grpc::StatusCode::INVALID_ARGUMENT, "malformed request"};

}  // namespace

FileService::FileService(Options options, FileSource& source, TrafficCounter& traffic)
    : options_(std::move(options)), source_(source), traffic_(traffic) {
  for (std::size_t n = 0; n < options_.readers; ++n) {
    readers_.emplace_back([this] { AnswerWaiting(); });
  }
}

FileService::~FileService() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  filled_.notify_all();
  for (std::thread& reader : readers_) reader.join();
}

grpc::ServerUnaryReactor* FileService::List(grpc::CallbackServerContext* context,
                                            const grpc::ByteBuffer* request,
                                            grpc::ByteBuffer* response) {
  v1::FileListRequest asked;
  if (!Decode(*request, asked)) return Enqueue(*context, [] { return kMalformed; });
  if (grpc::Status status = Authenticate(*context, asked.token()); !status.ok()) {
    return Enqueue(*context, [status] { return status; });
  }
  return Enqueue(*context,
                 [this, task = asked.task(), response] { return AnswerList(task, *response); });
}

grpc::ServerUnaryReactor* FileService::Fetch(grpc::CallbackServerContext* context,
                                             const grpc::ByteBuffer* request,
                                             grpc::ByteBuffer* response) {
  v1::ChunkRequest asked;
  ChunkCall call;
  if (!Decode(*request, asked) || asked.digest().size() != call.digest.size()) {
    return Enqueue(*context, [] { return kMalformed; });
  }
  if (grpc::Status status = Authenticate(*context, asked.token()); !status.ok()) {
    return Enqueue(*context, [status] { return status; });
  }
  std::copy(asked.digest().begin(), asked.digest().end(), call.digest.begin());
  call.path = asked.path();
  call.place = static_cast<std::size_t>(asked.place());
  call.only_here = asked.only_here();
  call.client = AddressOfPeer(context->peer(), asked.port());
  return Enqueue(*context,
                 [this, call = std::move(call), response] { return AnswerFetch(call, *response); });
}

grpc::Status FileService::Authenticate(const grpc::CallbackServerContext& context,
                                       const std::string& token) const {
  if (!options_.client_name.empty() && !PeerHasName(context, options_.client_name)) {
    return {grpc::StatusCode::PERMISSION_DENIED,
            "the certificate does not have the name " + options_.client_name};
  }
  if (token != options_.token) {
    return {grpc::StatusCode::PERMISSION_DENIED, "the token is wrong"};
  }
  return grpc::Status::OK;
}

grpc::ServerUnaryReactor* FileService::Enqueue(grpc::CallbackServerContext& context,
                                               Answer answer) {
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  const std::lock_guard lock(mutex_);
  if (ending_) {
    reactor->Finish({grpc::StatusCode::UNAVAILABLE, "the server is shutting down"});
  } else {
    waiting_.push_back({std::move(answer), reactor});
    filled_.notify_one();
  }
  return reactor;
}

grpc::Status FileService::AnswerList(std::uint64_t task, grpc::ByteBuffer& response) {
  const auto files = source_.List(task);
  if (!files) return StatusOf(files.error());
  v1::FileList list;
  for (const ListedFile& file : *files) {
    v1::ListedFile& added = *list.add_files();
    added.set_path(file.path);
    added.set_size(static_cast<std::uint64_t>(file.size_bytes));
    for (const Sha256Digest& chunk : file.chunks) {
      added.mutable_digests()->append(chunk.data(), chunk.size());
    }
  }
  const std::string encoded = list.SerializeAsString();
  if (encoded.size() > kMaxFileListBytes) {
    return {grpc::StatusCode::FAILED_PRECONDITION,
            "inputs: the list of the files of one task has " + std::to_string(encoded.size()) +
                " bytes, at most " + std::to_string(kMaxFileListBytes) + " are allowed"};
  }
  const grpc::Slice slice(encoded);
  response = grpc::ByteBuffer(&slice, 1);
  traffic_.Sent(1, encoded.size());
  return grpc::Status::OK;
}

grpc::Status FileService::AnswerFetch(const ChunkCall& call, grpc::ByteBuffer& response) {
  if (!call.only_here) {
    const std::string holder = source_.Redirect(call);
    if (!holder.empty()) return {grpc::StatusCode::NOT_FOUND, holder};
  }
  const auto bytes = source_.Read(call);
  if (!bytes) return StatusOf(bytes.error());
  const grpc::Slice slice(*bytes);
  response = grpc::ByteBuffer(&slice, 1);
  traffic_.Sent(1, bytes->size());
  return grpc::Status::OK;
}

void FileService::AnswerWaiting() {
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next.reactor->Finish(next.answer());
    lock.lock();
  }
}

}  // namespace evenkeel::protocol
