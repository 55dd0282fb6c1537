#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
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
  /// A call that was understood.
  struct Call {
    /// Writes the response and returns the status of the call. Runs on one of the threads.
    std::function<grpc::Status()> answer;
    /// Bytes of the request that stay in memory until the call has been answered.
    std::size_t held_bytes = 0;
  };

  explicit BlockingCallQueue(Options options);
  /// Answers the calls that still wait.
  ~BlockingCallQueue();
  BlockingCallQueue(const BlockingCallQueue&) = delete;
  BlockingCallQueue& operator=(const BlockingCallQueue&) = delete;

  /// Queues a call. Its request must have a field `token`; `understand` takes the decoded Request
  /// and returns a std::optional<Call>, none if the request is malformed. The call ends at once
  /// with PERMISSION_DENIED if the client does not have the certificate or the token, with
  /// INVALID_ARGUMENT if the request is malformed, and with UNAVAILABLE if waiting calls would hold
  /// more than kMaxWaitingStoreBytes together, or after the destructor has begun.
  template <typename Request, typename Understand>
  grpc::ServerUnaryReactor* Take(grpc::CallbackServerContext& context,
                                 const grpc::ByteBuffer& encoded, const Understand& understand) {
    if (const grpc::Status status = CheckCertificate(context); !status.ok()) {
      return Refuse(context, status);
    }
    Request request;
    grpc::ByteBuffer copy = encoded;  // reading consumes the buffer
    if (!grpc::SerializationTraits<Request>::Deserialize(&copy, &request).ok()) {
      return Refuse(context, Malformed());
    }
    if (const grpc::Status status = CheckToken(request.token()); !status.ok()) {
      return Refuse(context, status);
    }
    std::optional<Call> call = understand(std::move(request));
    return call ? Enqueue(context, std::move(*call)) : Refuse(context, Malformed());
  }
  /// The status of a call that cannot be answered.
  [[nodiscard]] static grpc::Status StatusOf(const Error& error);

 private:
  struct Waiting {
    Call call;
    grpc::ServerUnaryReactor* reactor;
  };

  [[nodiscard]] static grpc::Status Malformed();
  static grpc::ServerUnaryReactor* Refuse(grpc::CallbackServerContext& context,
                                          const grpc::Status& status);
  grpc::ServerUnaryReactor* Enqueue(grpc::CallbackServerContext& context, Call call);

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
