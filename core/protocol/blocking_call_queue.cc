#include "core/protocol/blocking_call_queue.h"

#include <utility>

#include "core/protocol/limits.h"
#include "core/protocol/peer_name.h"

namespace evenkeel::protocol {

BlockingCallQueue::BlockingCallQueue(Options options) : options_(std::move(options)) {
  for (std::size_t n = 0; n < options_.readers; ++n) {
    readers_.emplace_back([this] { AnswerWaiting(); });
  }
}

BlockingCallQueue::~BlockingCallQueue() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  filled_.notify_all();
  for (std::thread& reader : readers_) reader.join();
}

grpc::Status BlockingCallQueue::Malformed() {
  return {grpc::StatusCode::INVALID_ARGUMENT, "malformed request"};
}

grpc::Status BlockingCallQueue::StatusOf(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidInput:
      return {grpc::StatusCode::FAILED_PRECONDITION, error.message};
    case ErrorCode::kUnavailable:
      return {grpc::StatusCode::UNAVAILABLE, error.message};
    case ErrorCode::kStorageFull:
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, error.message};
    case ErrorCode::kConflict:
      return {grpc::StatusCode::ABORTED, error.message};
    default:
      return {grpc::StatusCode::INTERNAL, error.message};
  }
}

grpc::Status BlockingCallQueue::CheckCertificate(const grpc::CallbackServerContext& context) const {
  if (options_.client_name.empty() || PeerHasName(context, options_.client_name)) {
    return grpc::Status::OK;
  }
  return {grpc::StatusCode::PERMISSION_DENIED,
          "the certificate does not have the name " + options_.client_name};
}

grpc::Status BlockingCallQueue::CheckToken(std::string_view token) const {
  if (token == options_.token) return grpc::Status::OK;
  return {grpc::StatusCode::PERMISSION_DENIED, "the token is wrong"};
}

grpc::ServerUnaryReactor* BlockingCallQueue::Refuse(grpc::CallbackServerContext& context,
                                                    const grpc::Status& status) {
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

grpc::ServerUnaryReactor* BlockingCallQueue::Enqueue(grpc::CallbackServerContext& context,
                                                     Call call) {
  const std::lock_guard lock(mutex_);
  if (ending_) {
    return Refuse(context, {grpc::StatusCode::UNAVAILABLE, "the server is shutting down"});
  }
  if (held_bytes_ + call.held_bytes > kMaxWaitingStoreBytes) {
    return Refuse(context,
                  {grpc::StatusCode::UNAVAILABLE, "too many pieces of output files are waiting"});
  }
  held_bytes_ += call.held_bytes;
  grpc::ServerUnaryReactor* const reactor = context.DefaultReactor();
  waiting_.push_back({std::move(call), reactor});
  filled_.notify_one();
  return reactor;
}

void BlockingCallQueue::AnswerWaiting() {
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::size_t held_bytes = waiting_.front().call.held_bytes;
    {
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      next.reactor->Finish(next.call.answer());
    }
    lock.lock();
    held_bytes_ -= held_bytes;
  }
}

}  // namespace evenkeel::protocol
