#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "coordinator/worker_server.h"
#include "core/model/worker_identity.h"
#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/outbox.h"

namespace evenkeel::coordinator {

/// The server's end of one stream. Owned by the server's table until OnDone, which takes it out.
/// Thread-safe.
class WorkerStream final
    : public grpc::ServerBidiReactor<v1::WorkerMessage, v1::CoordinatorMessage> {
 public:
  /// `identity`: of the peer, if it must have one; the stream ends at a Hello of another node.
  /// `gone` is called last of all; this object may be destroyed then.
  WorkerStream(StreamId id, grpc::CallbackServerContext& context, StreamListener& listener,
               protocol::TrafficCounter& traffic, std::optional<model::WorkerIdentity> identity,
               std::function<void(StreamId)> gone);

  /// Starts to read. Not part of the constructor: the first message may come before it returns.
  void Begin();
  void Send(engine::ToWorker message);
  /// Reads on after StreamListener::MayReadOn said no.
  void ReadOn();
  /// Ends the stream with this status after what is queued.
  void End(const grpc::Status& status);
  /// Ends the stream at once; what is queued is dropped. `reason` is one line.
  void Cut(const std::string& reason);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone() override;

 private:
  void TellClosed();
  /// Hands over what was read. False if the stream has been ended for what was in it.
  bool Deliver();
  /// One line that says why the Hello is not accepted on this stream; empty if it is.
  [[nodiscard]] std::string ProblemWith(const engine::Hello& hello) const;
  /// The lock must be held, and Proceed be called next.
  void CutLocked(const grpc::Status& status);
  /// Starts the next write, or ends the stream, if it is time for either.
  void Proceed(std::unique_lock<std::mutex> lock);

  const StreamId id_;
  grpc::CallbackServerContext& context_;
  StreamListener& listener_;
  protocol::TrafficCounter& traffic_;
  const std::optional<model::WorkerIdentity> identity_;
  const std::function<void(StreamId)> gone_;

  v1::WorkerMessage incoming_;
  v1::CoordinatorMessage outgoing_;
  bool closed_told_ = false;  // OnClosed was called
  bool greeted_ = false;      // a Hello was received

  std::mutex mutex_;  // guards what follows
  protocol::Outbox<v1::CoordinatorMessage> outbox_;
  grpc::Status status_;
  bool writing_ = false;
  bool unread_ = false;    // no read is under way: MayReadOn said no
  bool read_on_ = false;   // ReadOn came before that was noted
  bool ending_ = false;    // nothing more is queued
  bool finished_ = false;  // gRPC has the status: no operation may start any more
};

}  // namespace evenkeel::coordinator
