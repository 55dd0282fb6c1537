#include "worker/chunk_host.h"

#include <chrono>

#include "core/protocol/limits.h"
#include "core/protocol/server_setup.h"
#include "core/protocol/tls_credentials.h"

namespace evenkeel::worker {

ChunkHost::ChunkHost(const Options& options, protocol::ChunkSource& source)
    : service_({options.token, options.tls ? options.peer_name : "", options.readers}, source,
               traffic_) {}

ChunkHost::~ChunkHost() {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
}

Result<std::unique_ptr<ChunkHost>> ChunkHost::Start(const Options& options,
                                                    protocol::ChunkSource& source) {
  std::unique_ptr<ChunkHost> host(new ChunkHost(options, source));
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(protocol::kMaxTextBytes);
  protocol::LimitPeers(builder, "peers");
  int port = 0;
  const std::string address = options.tls ? "[::]:" : "127.0.0.1:";
  builder.AddListeningPort(address + std::to_string(options.port),
                           protocol::ServerCredentialsOf(options.tls), &port);
  builder.RegisterService(&host->service_);
  host->server_ = builder.BuildAndStart();
  if (host->server_ == nullptr || port == 0) {
    return Fail(ErrorCode::kUnavailable, "no port to serve other workers on");
  }
  host->port_ = static_cast<std::uint16_t>(port);
  return host;
}

}  // namespace evenkeel::worker
