#include "worker/data_connections.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <utility>

#include "core/base/log.h"
#include "core/protocol/limits.h"
#include "worker/channel.h"

namespace evenkeel::worker {
namespace {

constexpr std::size_t kMaxStubs = 64;
// With so many distrusted workers, all data are fetched from the coordinator.
constexpr std::size_t kMaxDistrusted = 1024;
// A worker that is dead delays others for so long.
constexpr auto kPeerConnectTimeout = std::chrono::seconds(2);
// Time limit of a request to another worker.
constexpr auto kPeerPatience = std::chrono::seconds(20);
constexpr auto kRetryPause = std::chrono::milliseconds(500);

/// Lets a whole answer arrive before its first bytes are read.
ConnectionOptions ForData(ConnectionOptions connection) {
  connection.read_ahead_bytes = protocol::kMaxPieceBytes;
  return connection;
}

}  // namespace

DataConnections::DataConnections(ConnectionOptions home, std::string peer_name)
    : home_(ForData(std::move(home))), peer_name_(std::move(peer_name)) {}

std::shared_ptr<DataConnections::Stub> DataConnections::StubFor(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  if (stubs_.size() >= kMaxStubs && !stubs_.contains(peer)) {
    std::erase_if(stubs_, [](const auto& stub) { return !stub.first.empty(); });
  }
  auto& stub = stubs_[peer];
  if (stub == nullptr) {
    ConnectionOptions connection = home_;
    if (!peer.empty()) {
      connection.address = peer;
      connection.connect_timeout = kPeerConnectTimeout;
      connection.server_name = peer_name_;
    }
    stub = std::make_shared<Stub>(MakeChannel(connection));
  }
  return stub;
}

tl::unexpected<Error> DataConnections::Stopped() {
  return Fail(ErrorCode::kUnavailable, "the task was stopped while it waited for its data");
}

void DataConnections::Pause(const std::stop_token& stop) {
  std::mutex alone;
  std::unique_lock lock(alone);
  std::condition_variable_any never;
  never.wait_for(lock, stop, kRetryPause, [] { return false; });
}

std::shared_ptr<DataConnections::Answer> DataConnections::Ask(const std::string& peer,
                                                              const char* method,
                                                              const grpc::ByteBuffer& request,
                                                              const std::stop_token& stop) {
  const auto answer = std::make_shared<Answer>();
  answer->request = request;
  if (peer.empty()) {
    answer->context.set_wait_for_ready(true);
  } else {
    answer->context.set_deadline(std::chrono::system_clock::now() + kPeerPatience);
  }
  // The callback does not own the answer: its context may be the last owner of a channel, which
  // must not end on a thread of gRPC.
  const auto ended = std::make_shared<std::promise<grpc::Status>>();
  StubFor(peer)->UnaryCall(&answer->context, method, {}, &answer->request, &answer->response,
                           [ended](const grpc::Status& status) { ended->set_value(status); });
  const std::stop_callback cancel(stop, [&answer] { answer->context.TryCancel(); });
  answer->status = ended->get_future().get();
  return answer;
}

Result<std::shared_ptr<DataConnections::Answer>> DataConnections::AskHome(
    const char* method, const grpc::ByteBuffer& request, const std::stop_token& stop) {
  for (;;) {
    auto answer = Ask("", method, request, stop);
    if (stop.stop_requested()) return Stopped();
    switch (answer->status.error_code()) {
      case grpc::StatusCode::OK:
      case grpc::StatusCode::NOT_FOUND:
        return answer;
      case grpc::StatusCode::FAILED_PRECONDITION:
        return InvalidInput(answer->status.error_message());
      case grpc::StatusCode::ABORTED:
        return Fail(ErrorCode::kConflict, answer->status.error_message());
      case grpc::StatusCode::UNAVAILABLE:
      case grpc::StatusCode::RESOURCE_EXHAUSTED:  // it has no room for output files
        break;
      default:
        return Fail(ErrorCode::kUnavailable,
                    "the coordinator refuses to exchange data: " + answer->status.error_message());
    }
    Pause(stop);
  }
}

bool DataConnections::Trusts(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  return distrusted_.size() < kMaxDistrusted && !distrusted_.contains(peer);
}

void DataConnections::Distrust(const std::string& peer, const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (distrusted_.size() >= kMaxDistrusted || !distrusted_.insert(peer).second) return;
  }
  Log(LogLevel::kWarning, "worker " + peer + " sent wrong bytes of " + what +
                              "; these come from the coordinator, and nothing more is fetched from "
                              "that worker");
}

}  // namespace evenkeel::worker
