#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <mutex>
#include <string>

#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/outbox.h"
#include "worker/coordinator_connection.h"

namespace evenkeel::worker {

/// The worker's end of the stream. Thread-safe. Must not be destroyed before AwaitDone has said
/// true.
class CoordinatorStream final
    : public grpc::ClientBidiReactor<v1::WorkerMessage, v1::CoordinatorMessage> {
 public:
  CoordinatorStream(const std::shared_ptr<grpc::Channel>& channel, ConnectionListener& listener);

  void Begin();
  void Send(engine::ToCoordinator message);
  void Close();
  void Cut();
  /// True if it was over within this time.
  [[nodiscard]] bool AwaitDone(Duration at_most);
  void AwaitDone();
  [[nodiscard]] bool Closing();
  [[nodiscard]] protocol::Traffic Counters() const { return traffic_.Read(); }

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  /// False if the stream is cut for what was in the message.
  bool Deliver();
  /// Cuts the stream for a reason of ours. The lock must be held.
  void CutBecause(std::string reason);
  /// Starts the next write, or closes our half, if it is time for either. The lock must be held, so
  /// that OnReadDone does not let go before it has started.
  void Proceed();

  ConnectionListener& listener_;
  protocol::TrafficCounter traffic_;
  const std::unique_ptr<v1::Coordinator::Stub> stub_;
  grpc::ClientContext context_;
  v1::CoordinatorMessage incoming_;
  v1::WorkerMessage outgoing_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  protocol::Outbox<v1::WorkerMessage> outbox_;
  std::string reason_;  // ours to end it; empty if the other side or the network did
  bool writing_ = false;
  bool closing_ = false;      // nothing more is queued
  bool half_closed_ = false;  // the coordinator was told so
  bool over_ = false;         // no operation may start any more
  bool done_ = false;
};

}  // namespace evenkeel::worker
