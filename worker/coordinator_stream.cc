#include "worker/coordinator_stream.h"

#include <chrono>
#include <utility>

#include "core/protocol/translation.h"

namespace evenkeel::worker {
namespace {

std::string Describe(const grpc::Status& status) {
  if (status.ok()) return "the coordinator closed the stream";
  return status.error_message();
}

}  // namespace

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

}  // namespace evenkeel::worker
