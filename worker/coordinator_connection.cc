#include "worker/coordinator_connection.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/protocol/evenkeel.grpc.pb.h"
#include "core/protocol/outbox.h"
#include "core/protocol/translation.h"
#include "worker/channel.h"

namespace evenkeel::worker {
namespace {

std::string Describe(const grpc::Status& status) {
  if (status.ok()) return "the coordinator closed the stream";
  return status.error_message();
}

/// The worker's end of the stream. Thread-safe. Must not be destroyed before AwaitDone returned
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
  /// that OnReadDone does not remove its hold before it has started.
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
  std::string reason_;  // why this side ended it; empty if the other side or the network did
  bool writing_ = false;
  bool closing_ = false;      // nothing more is queued
  bool half_closed_ = false;  // the coordinator knows it
  bool over_ = false;         // no operation may start any more
  bool done_ = false;
};

CoordinatorStream::CoordinatorStream(const std::shared_ptr<grpc::Channel>& channel,
                                     ConnectionListener& listener)
    : listener_(listener), stub_(v1::Coordinator::NewStub(channel)) {}

void CoordinatorStream::Begin() {
  stub_->async()->Work(&context_, this);
  // Send may start a write at any time until OnReadDone has seen the end and lets go.
  AddHold();
  StartRead(&incoming_);
  StartCall();
}

void CoordinatorStream::Send(engine::ToCoordinator message) {
  auto items = protocol::ToProto(std::move(message));
  const std::lock_guard lock(mutex_);
  if (closing_ || over_) return;
  outbox_.Add(std::move(items));
  if (outbox_.QueuedBytes() > protocol::kMaxQueuedBytes) {
    CutBecause("the coordinator does not take our messages");
  }
  Proceed();
}

void CoordinatorStream::Close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  Proceed();
}

void CoordinatorStream::Cut() {
  const std::lock_guard lock(mutex_);
  CutBecause("cut by this side");
}

bool CoordinatorStream::Closing() {
  const std::lock_guard lock(mutex_);
  return closing_;
}

bool CoordinatorStream::AwaitDone(Duration at_most) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, at_most, [this] { return done_; });
}

void CoordinatorStream::AwaitDone() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_; });
}

void CoordinatorStream::CutBecause(std::string reason) {
  outbox_.Clear();
  closing_ = true;
  half_closed_ = true;  // cut, not closed
  if (reason_.empty()) reason_ = std::move(reason);
  context_.TryCancel();
}

void CoordinatorStream::Proceed() {
  if (writing_ || over_) return;
  if (!outbox_.Empty()) {
    writing_ = true;
    outgoing_ = outbox_.Take();
    traffic_.Sent(outgoing_.items_size(), outgoing_.ByteSizeLong());
    StartWrite(&outgoing_);
  } else if (closing_ && !half_closed_) {
    half_closed_ = true;
    StartWritesDone();
  }
}

void CoordinatorStream::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (!ok) outbox_.Clear();
  Proceed();
}

void CoordinatorStream::OnReadDone(bool ok) {
  if (ok && Deliver()) {
    StartRead(&incoming_);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  RemoveHold();
}

bool CoordinatorStream::Deliver() {
  traffic_.Received(incoming_.items_size(), incoming_.ByteSizeLong());
  auto messages = protocol::FromProto(std::move(incoming_));
  incoming_.Clear();
  if (!messages) {
    const std::lock_guard lock(mutex_);
    CutBecause(messages.error().message);
    return false;
  }
  for (engine::ToWorker& message : *messages) listener_.OnMessage(std::move(message));
  return true;
}

void CoordinatorStream::OnDone(const grpc::Status& status) {
  std::string reason;
  {
    const std::lock_guard lock(mutex_);
    reason = reason_.empty() ? Describe(status) : reason_;
  }
  listener_.OnClosed(reason);
  const std::lock_guard lock(mutex_);
  done_ = true;
  changed_.notify_all();  // under the lock: this object may be destroyed right after
}

class GrpcConnection final : public CoordinatorConnection {
 public:
  GrpcConnection(const ConnectionOptions& options, ConnectionListener& listener)
      : close_grace_(options.close_grace), stream_(MakeChannel(options), listener) {
    stream_.Begin();
  }

  ~GrpcConnection() override {
    if (stream_.Closing() && stream_.AwaitDone(close_grace_)) return;
    stream_.Cut();
    stream_.AwaitDone();
  }

  void Send(engine::ToCoordinator message) override { stream_.Send(std::move(message)); }
  void Close() override { stream_.Close(); }
  [[nodiscard]] protocol::Traffic Counters() const override { return stream_.Counters(); }

 private:
  const Duration close_grace_;
  CoordinatorStream stream_;
};

}  // namespace

std::unique_ptr<CoordinatorConnection> CoordinatorConnection::Connect(
    const ConnectionOptions& options, ConnectionListener& listener) {
  protocol::RouteGrpcLog();
  return std::make_unique<GrpcConnection>(options, listener);
}

}  // namespace evenkeel::worker
