#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.h"

namespace evenkeel::protocol {

/// Answers unary calls on threads of its own: an answer may block on the disk, and must not block
/// the threads of gRPC, which carry the streams. Refuses unauthenticated clients on the thread that
/// received the call, so that they cannot fill the queue. Thread-safe. Destroy it after the server
/// has shut down.
class BlockingCallQueue {
 public:
  struct Options {
    std::string token;        ///< that the client must send; empty: none
    std::string client_name;  ///< DNS name in the certificate of the client; empty: any
    std::size_t readers = 1;  ///< threads
  };
  /// Writes the response and returns the status of the call. Runs on one of the threads.
  using Answer = std::function<grpc::Status()>;

  explicit BlockingCallQueue(Options options);
  /// Answers the calls that still wait.
  ~BlockingCallQueue();
  BlockingCallQueue(const BlockingCallQueue&) = delete;
  BlockingCallQueue& operator=(const BlockingCallQueue&) = delete;

  /// Decodes a request, which must have a field `token`. PERMISSION_DENIED: the client does not
  /// have the certificate or the token; INVALID_ARGUMENT: the request is malformed.
  template <typename Request>
  [[nodiscard]] grpc::Status DecodeAuthenticated(const grpc::CallbackServerContext& context,
                                                 const grpc::ByteBuffer& encoded,
                                                 Request& request) const {
    if (grpc::Status status = CheckCertificate(context); !status.ok()) return status;
    grpc::ByteBuffer copy = encoded;  // reading consumes the buffer
    if (!grpc::SerializationTraits<Request>::Deserialize(&copy, &request).ok()) return Malformed();
    return CheckToken(request.token());
  }
  [[nodiscard]] static grpc::Status Malformed();
  /// The status of a call that cannot be answered.
  [[nodiscard]] static grpc::Status StatusOf(const Error& error);

  /// Ends a call at once.
  static grpc::ServerUnaryReactor* Refuse(grpc::CallbackServerContext& context,
                                          const grpc::Status& status);
  /// Queues a call. `held_bytes` of its request stay in memory until it has been answered; beyond
  /// kMaxWaitingStoreBytes of all calls, the call ends at once with UNAVAILABLE, as it does after
  /// the destructor has begun.
  grpc::ServerUnaryReactor* Enqueue(grpc::CallbackServerContext& context, Answer answer,
                                    std::size_t held_bytes = 0);

 private:
  struct Waiting {
    Answer answer;
    grpc::ServerUnaryReactor* reactor;
    std::size_t held_bytes;
  };

  [[nodiscard]] grpc::Status CheckCertificate(const grpc::CallbackServerContext& context) const;
  [[nodiscard]] grpc::Status CheckToken(std::string_view token) const;
  void AnswerWaiting();

  const Options options_;
  std::mutex mutex_;  // guards the members below, except readers_
  std::condition_variable filled_;
  std::deque<Waiting> waiting_;
  std::size_t held_bytes_ = 0;  // of all calls that wait or are being answered
  bool ending_ = false;
  std::vector<std::thread> readers_;
};

}  // namespace evenkeel::protocol
