#include "coordinator/worker_server.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "coordinator/worker_stream.h"
#include "core/protocol/limits.h"

namespace evenkeel::coordinator {
namespace {

using v1::CoordinatorMessage;
using v1::WorkerMessage;

/// Answers a stream with nothing but a status.
class RefusedStream final : public grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage> {
 public:
  explicit RefusedStream(const grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

/// Whether the certificate of the other side, which is known to be of our authority, carries this
/// DNS name.
bool HasName(const grpc::ServerContextBase& context, const std::string& name) {
  const auto names = context.auth_context()->FindPropertyValues(GRPC_PEER_DNS_PROPERTY_NAME);
  return std::any_of(names.begin(), names.end(),
                     [&name](const grpc::string_ref& found) { return found == name; });
}

/// The open streams. Thread-safe.
class StreamTable final : public v1::Coordinator::CallbackService {
 public:
  StreamTable(const ServerOptions& options, StreamListener& listener)
      : max_streams_(options.max_streams),
        client_name_(options.tls ? options.client_name : ""),
        listener_(listener) {}

  grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage>* Work(
      grpc::CallbackServerContext* context) override {
    if (!client_name_.empty() && !HasName(*context, client_name_)) {
      return new RefusedStream(
          {grpc::StatusCode::PERMISSION_DENIED, "the certificate is not that of " + client_name_});
    }
    const std::shared_ptr<WorkerStream> stream = Admit(*context);
    if (stream == nullptr) {
      return new RefusedStream(
          {grpc::StatusCode::RESOURCE_EXHAUSTED, "the coordinator takes no more workers now"});
    }
    stream->Begin();
    return stream.get();
  }

  [[nodiscard]] std::shared_ptr<WorkerStream> Find(StreamId id) const {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
  }

  /// Admits nobody from now on and ends those that are there.
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
  std::shared_ptr<WorkerStream> Admit(grpc::CallbackServerContext& context) {
    const std::lock_guard lock(mutex_);
    if (closed_ || streams_.size() >= max_streams_) return nullptr;
    const StreamId id{++last_id_};
    auto stream = std::make_shared<WorkerStream>(id, context, listener_, traffic_,
                                                 [this](StreamId gone) { Remove(gone); });
    streams_.emplace(id, stream);
    return stream;
  }

  void Remove(StreamId id) {
    std::shared_ptr<WorkerStream> last_use;  // destroyed after the lock is released
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id);
    last_use = std::move(found->second);
    streams_.erase(found);
    if (streams_.empty()) emptied_.notify_all();
  }

  const std::size_t max_streams_;
  const std::string client_name_;
  StreamListener& listener_;
  protocol::TrafficCounter traffic_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable emptied_;
  std::unordered_map<StreamId, std::shared_ptr<WorkerStream>> streams_;
  std::uint64_t last_id_ = 0;
  bool closed_ = false;
};

std::shared_ptr<grpc::ServerCredentials> Credentials(const ServerOptions& options) {
  if (!options.tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions ssl(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  ssl.pem_root_certs = options.tls->ca_pem;
  ssl.pem_key_cert_pairs.push_back({options.tls->key_pem, options.tls->certificate_pem});
  return grpc::SslServerCredentials(ssl);
}

int Milliseconds(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

void Configure(const ServerOptions& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(protocol::kMaxMessageBytes);
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
      : grace_(options.shutdown_grace), streams_(options, listener) {}
  ~GrpcWorkerServer() override { Shutdown(); }

  Result<void> Listen(const ServerOptions& options) {
    grpc::ServerBuilder builder;
    Configure(options, builder);
    int port = 0;
    builder.AddListeningPort(options.address, Credentials(options), &port);
    builder.RegisterService(&streams_);
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

  [[nodiscard]] protocol::Traffic Counters() const override { return streams_.Counters(); }

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
  const Duration grace_;
  StreamTable streams_;
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
