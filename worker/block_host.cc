#include "worker/block_host.h"

#include <algorithm>
#include <string_view>

#include "core/protocol/limits.h"
#include "core/protocol/server_setup.h"
#include "core/protocol/tls_credentials.h"

namespace evenkeel::worker {

std::int64_t BlockHost::Source::SizeOf(std::uint64_t block) {
  const auto found = cache_.Find(block);
  return found ? static_cast<std::int64_t>(found->Bytes().size()) : 0;
}

std::optional<SharedBytes> BlockHost::Source::Share(const protocol::PieceCall& call) {
  // The cache cannot drop a block that is being sent.
  if (cache_.Bytes() > cache_.LimitBytes()) return std::nullopt;
  const auto found = cache_.Find(call.block);
  if (!found) return std::nullopt;
  const auto piece = found->Bytes().subspan(static_cast<std::size_t>(call.offset),
                                            static_cast<std::size_t>(call.size));
  return SharedBytes(found, {std::string_view(piece.data(), piece.size())});
}

Result<void> BlockHost::Source::Read(const protocol::PieceCall& call, std::span<char> into) {
  const auto found = cache_.Find(call.block);
  if (!found) return Fail(ErrorCode::kUnavailable, "the block is gone");
  const auto piece = found->Bytes().subspan(static_cast<std::size_t>(call.offset), into.size());
  std::copy(piece.begin(), piece.end(), into.begin());
  return {};
}

BlockHost::BlockHost(const Options& options, workloads::BlockCache& cache)
    : source_(cache),
      service_({options.token, options.tls ? options.peer_name : "", 1}, source_, traffic_) {}

BlockHost::~BlockHost() {
  if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
}

Result<std::unique_ptr<BlockHost>> BlockHost::Start(const Options& options,
                                                    workloads::BlockCache& cache) {
  std::unique_ptr<BlockHost> host(new BlockHost(options, cache));
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
