#include "coordinator/worker_stream.h"

#include <utility>

#include "core/base/log.h"
#include "core/protocol/translation.h"

namespace evenkeel::coordinator {

WorkerStream::WorkerStream(StreamId id, grpc::CallbackServerContext& context,
                           StreamListener& listener, protocol::TrafficCounter& traffic,
                           std::optional<model::WorkerIdentity> identity,
                           std::function<void(StreamId)> gone)
    : id_(id),
      context_(context),
      listener_(listener),
      traffic_(traffic),
      identity_(std::move(identity)),
      gone_(std::move(gone)) {}

void WorkerStream::Begin() { StartRead(&incoming_); }

void WorkerStream::Send(engine::ToWorker message) {
  auto items = protocol::ToProto(std::move(message));
  std::unique_lock lock(mutex_);
  if (ending_) return;
  outbox_.Add(std::move(items));
  if (outbox_.QueuedBytes() > protocol::kMaxQueuedBytes) {
    Log(LogLevel::kWarning,
        "stream " + std::to_string(id_.value) + ": the worker does not take its messages; closed");
    CutLocked({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many messages wait to be taken"});
  }
  Proceed(std::move(lock));
}

void WorkerStream::Cut(const std::string& reason) {
  std::unique_lock lock(mutex_);
  if (finished_) return;
  CutLocked({grpc::StatusCode::ABORTED, reason});
  Proceed(std::move(lock));
}

void WorkerStream::CutLocked(const grpc::Status& status) {
  outbox_.Clear();
  ending_ = true;
  status_ = status;
  context_.TryCancel();  // or the write under way might never end
}

void WorkerStream::End(const grpc::Status& status) {
  std::unique_lock lock(mutex_);
  if (ending_) return;
  ending_ = true;
  status_ = status;
  Proceed(std::move(lock));
}

void WorkerStream::Proceed(std::unique_lock<std::mutex> lock) {
  if (writing_ || finished_) return;
  if (!outbox_.Empty()) {
    writing_ = true;
    outgoing_ = outbox_.Take();
    traffic_.Sent(outgoing_.items_size(), outgoing_.ByteSizeLong());
    lock.unlock();
    StartWrite(&outgoing_);
  } else if (ending_) {
    finished_ = true;
    lock.unlock();
    Finish(status_);
  }
}

void WorkerStream::OnWriteDone(bool ok) {
  std::unique_lock lock(mutex_);
  writing_ = false;
  if (!ok) {
    outbox_.Clear();
    ending_ = true;
  }
  Proceed(std::move(lock));
}

void WorkerStream::OnReadDone(bool ok) {
  if (ok && Deliver()) {
    const bool may_read_on = listener_.MayReadOn(id_);
    const std::lock_guard lock(mutex_);
    if (!finished_) {
      unread_ = !may_read_on && !read_on_;
      read_on_ = false;
      if (!unread_) StartRead(&incoming_);
      return;
    }
  }
  TellClosed();
  End(grpc::Status::OK);
}

void WorkerStream::ReadOn() {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  if (unread_) {
    unread_ = false;
    StartRead(&incoming_);
  } else {
    read_on_ = true;
  }
}

// Called by one thread at a time: gRPC calls OnDone after every other call has returned.
void WorkerStream::TellClosed() {
  if (std::exchange(closed_told_, true)) return;
  listener_.OnClosed(id_);
}

bool WorkerStream::Deliver() {
  traffic_.Received(incoming_.items_size(), incoming_.ByteSizeLong());
  auto messages = protocol::FromProto(std::move(incoming_));
  incoming_.Clear();
  if (!messages) {
    Log(LogLevel::kWarning,
        "stream " + std::to_string(id_.value) + " closed: " + messages.error().message);
    End({grpc::StatusCode::INVALID_ARGUMENT, messages.error().message});
    return false;
  }
  for (engine::ToCoordinator& message : *messages) {
    if (auto* hello = std::get_if<engine::Hello>(&message)) {
      if (const std::string problem = ProblemWith(*hello); !problem.empty()) {
        Log(LogLevel::kWarning, "stream " + std::to_string(id_.value) + " closed: " + problem);
        End({grpc::StatusCode::PERMISSION_DENIED, problem});
        return false;
      }
      greeted_ = true;
      if (identity_) hello->peer = identity_->pod;
    }
    listener_.OnMessage(id_, std::move(message));
  }
  return true;
}

std::string WorkerStream::ProblemWith(const engine::Hello& hello) const {
  if (greeted_) return "a second Hello on one stream";
  if (identity_ && hello.node != identity_->node) {
    return "pod " + identity_->pod + " has the certificate of node " + identity_->node +
           " and says that it is node " + hello.node;
  }
  return {};
}

void WorkerStream::OnDone() {
  TellClosed();             // a stream that is not read does not notice its end otherwise
  const auto gone = gone_;  // outlives this object, which it may destroy
  gone(id_);
}

}  // namespace evenkeel::coordinator
