#include "core/protocol/server_setup.h"

#include <grpcpp/resource_quota.h>

#include <cstddef>

#include "core/protocol/limits.h"

namespace evenkeel::protocol {
namespace {

constexpr int kMaxThreads = 64;
constexpr int kHandshakeMilliseconds = 20'000;
constexpr int kIdleMilliseconds = 600'000;

}  // namespace

void LimitPeers(grpc::ServerBuilder& builder, const char* name) {
  grpc::ResourceQuota quota(name);
  quota.Resize(static_cast<std::size_t>(kServerMemoryBytes));
  quota.SetMaxThreads(kMaxThreads);
  builder.SetResourceQuota(quota);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxMetadataBytes);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMilliseconds);
}

}  // namespace evenkeel::protocol
