#include "coordinator/worker_server.h"

#include <grpc/grpc.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "coordinator/stream_admission.h"
#include "coordinator/worker_stream.h"
#include "core/base/clock.h"
#include "core/protocol/chunk_service.h"
#include "core/protocol/file_service.h"
#include "core/protocol/limits.h"
#include "core/protocol/peer_name.h"
#include "core/protocol/server_setup.h"
#include "core/protocol/tls_credentials.h"

namespace evenkeel::coordinator {
namespace {

using v1::CoordinatorMessage;
using v1::WorkerMessage;

// Disks are read by as many threads; more would not make an SD card faster.
constexpr std::size_t kDataReaders = 2;

/// Answers a stream with nothing but a status.
class RefusedStream final : public grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage> {
 public:
  explicit RefusedStream(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

/// The open streams. Thread-safe.
class OpenStreams final : public v1::Coordinator::CallbackService {
 public:
  OpenStreams(const ServerOptions& options, StreamListener& listener)
      : max_streams_(options.max_streams),
        client_name_(options.tls ? options.client_name : ""),
        namespace_name_(options.tls ? options.namespace_name : ""),
        job_(options.tls ? options.job : ""),
        listener_(listener) {}

  grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage>* Work(
      grpc::CallbackServerContext* context) override {
    std::optional<model::WorkerIdentity> identity;
    if (const grpc::Status status = Authenticate(*context, identity); !status.ok()) {
      return new RefusedStream(status);
    }
    auto stream = Admit(*context, std::move(identity));
    if (!stream) return new RefusedStream({grpc::StatusCode::RESOURCE_EXHAUSTED, stream.error()});
    (*stream)->Begin();
    return stream->get();
  }

  [[nodiscard]] std::shared_ptr<WorkerStream> Find(StreamId id) const {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
  }

  /// Refuses new streams from now on and ends the open ones.
  void EndAll() {
    std::vector<std::shared_ptr<WorkerStream>> open;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      for (const auto& [id, stream] : streams_) open.push_back(stream);
    }
    for (const auto& stream : open) stream->End(grpc::Status::OK);
  }

  void AwaitEmpty() {
    std::unique_lock lock(mutex_);
    emptied_.wait(lock, [this] { return streams_.empty(); });
  }

  [[nodiscard]] protocol::Traffic Counters() const { return traffic_.Read(); }

 private:
  /// Checks the certificate of the peer, and sets the identity if one is required.
  [[nodiscard]] grpc::Status Authenticate(const grpc::CallbackServerContext& context,
                                          std::optional<model::WorkerIdentity>& identity) const {
    if (!client_name_.empty() && !protocol::PeerHasName(context, client_name_)) {
      return {grpc::StatusCode::PERMISSION_DENIED,
              "the certificate is not that of " + client_name_};
    }
    if (job_.empty()) return grpc::Status::OK;
    identity = protocol::PeerWorker(context);
    if (!identity || identity->namespace_name != namespace_name_ || identity->job != job_) {
      return {grpc::StatusCode::PERMISSION_DENIED,
              "the certificate does not name one worker of job " + namespace_name_ + "/" + job_};
    }
    return grpc::Status::OK;
  }

  /// The new stream, or one line that says why it is refused.
  tl::expected<std::shared_ptr<WorkerStream>, std::string> Admit(
      grpc::CallbackServerContext& context, std::optional<model::WorkerIdentity> identity) {
    std::shared_ptr<WorkerStream> stream;
    std::shared_ptr<WorkerStream> displaced;
    {
      const std::lock_guard lock(mutex_);
      if (closed_ || streams_.size() >= max_streams_) {
        return tl::unexpected(std::string("the coordinator takes no more workers now"));
      }
      const StreamId id{++last_id_};
      const std::string peer = identity ? identity->pod : "";
      if (identity) {
        const auto verdict = admission_.Admit(peer, id, clock_.Now());
        if (!verdict.admitted) {
          return tl::unexpected("pod " + peer + " opens streams too often");
        }
        if (verdict.displaced) displaced = streams_.at(*verdict.displaced);
      }
      stream = std::make_shared<WorkerStream>(id, context, listener_, traffic_, std::move(identity),
                                              [this, peer](StreamId gone) { Remove(gone, peer); });
      streams_.emplace(id, stream);
    }
    if (displaced) displaced->Cut("replaced by a newer stream of the same worker");
    return stream;
  }

  void Remove(StreamId id, const std::string& peer) {
    std::shared_ptr<WorkerStream> last_use;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    if (!peer.empty()) admission_.Remove(peer, id);
    const auto found = streams_.find(id);
    last_use = std::move(found->second);
    streams_.erase(found);
    if (streams_.empty()) emptied_.notify_all();
  }

  const std::size_t max_streams_;
  const std::string client_name_;
  const std::string namespace_name_;
  const std::string job_;
  StreamListener& listener_;
  protocol::TrafficCounter traffic_;
  const SteadyClock clock_;

  mutable std::mutex mutex_;  // guards what follows
  StreamAdmission admission_;
  std::condition_variable emptied_;
  std::unordered_map<StreamId, std::shared_ptr<WorkerStream>> streams_;
  std::uint64_t last_id_ = 0;
  bool closed_ = false;
};

int Milliseconds(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

void Configure(const ServerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(protocol::kMaxMessageBytes);
  protocol::LimitPeers(builder, "workers");
  // Of two coordinators on one port, one must notice.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keep_alive.interval));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS,
                             Milliseconds(options.keep_alive.timeout));
  // Workers ask as often as we do; that is no attack.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             Milliseconds(options.keep_alive.interval) / 4);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
}

class GrpcWorkerServer final : public WorkerServer {
 public:
  GrpcWorkerServer(const ServerOptions& options, StreamListener& listener)
      : grace_(options.shutdown_grace), streams_(options, listener) {
    const protocol::BlockingCallQueue::Options calls{
        options.data_token, options.tls ? options.client_name : "", kDataReaders};
    if (options.chunks != nullptr) chunks_.emplace(calls, *options.chunks, data_traffic_);
    if (options.files != nullptr) files_.emplace(calls, *options.files, data_traffic_);
  }
  ~GrpcWorkerServer() override { Shutdown(); }

  Result<void> Listen(const ServerOptions& options) {
    KeepLibrary();
    grpc::ServerBuilder builder;
    Configure(options, builder);
    int port = 0;
    builder.AddListeningPort(options.address, protocol::ServerCredentialsOf(options.tls), &port);
    builder.RegisterService(&streams_);
    if (chunks_) builder.RegisterService(&*chunks_);
    if (files_) builder.RegisterService(&*files_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) {
      return Fail(ErrorCode::kUnavailable,
                  "cannot listen for workers on " + options.address +
                      (options.tls ? ": it is taken, or the certificates are no good"
                                   : ": it is taken or not of this machine"));
    }
    port_ = static_cast<std::uint16_t>(port);
    return {};
  }

  [[nodiscard]] std::uint16_t Port() const override { return port_; }

  void Send(StreamId id, engine::ToWorker message) override {
    if (const auto stream = streams_.Find(id)) stream->Send(std::move(message));
  }

  void Close(StreamId id) override {
    if (const auto stream = streams_.Find(id)) stream->End(grpc::Status::OK);
  }

  void ReadOn(StreamId id) override {
    if (const auto stream = streams_.Find(id)) stream->ReadOn();
  }

  [[nodiscard]] protocol::Traffic Counters() const override {
    protocol::Traffic traffic = streams_.Counters();
    const protocol::Traffic data = data_traffic_.Read();
    traffic.messages_sent += data.messages_sent;
    traffic.writes += data.writes;
    traffic.bytes_sent += data.bytes_sent;
    return traffic;
  }

  void Shutdown() override {
    std::call_once(shut_down_, [this] {
      streams_.EndAll();
      if (server_ == nullptr) return;
      server_->Shutdown(std::chrono::system_clock::now() +
                        std::chrono::duration_cast<std::chrono::microseconds>(grace_));
      streams_.AwaitEmpty();
      server_.reset();
    });
  }

 private:
  /// gRPC must not end with the last server of the process: where a connection had much to send,
  /// one of its threads may sleep for 10 s by then, and the end of the job would wait for it.
  static void KeepLibrary() {
    static std::once_flag once;
    std::call_once(once, grpc_init);
  }

  const Duration grace_;
  OpenStreams streams_;
  protocol::TrafficCounter data_traffic_;
  std::optional<protocol::ChunkService> chunks_;
  std::optional<protocol::FileService> files_;
  std::unique_ptr<grpc::Server> server_;
  std::uint16_t port_ = 0;
  std::once_flag shut_down_;
};

}  // namespace

Result<std::unique_ptr<WorkerServer>> WorkerServer::Start(const ServerOptions& options,
                                                          StreamListener& listener) {
  protocol::RouteGrpcLog();
  auto server = std::make_unique<GrpcWorkerServer>(options, listener);
  if (const Result<void> listening = server->Listen(options); !listening) {
    return tl::unexpected(listening.error());
  }
  return server;
}

}  // namespace evenkeel::coordinator
