#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>

/// Settings of servers whose peers may be hostile.
namespace evenkeel::protocol {

/// Calls in progress on one connection; the client waits with further ones. A worker fetches at
/// most 64 pieces at a time.
inline constexpr int kMaxStreamsPerConnection = 64;
/// Bytes of the metadata of one call.
inline constexpr int kMaxMetadataBytes = 4 * 1024;
/// Bytes that gRPC may use for the connections and messages of a server; beyond that it closes
/// idle connections, then cancels calls.
inline constexpr std::int64_t kServerMemoryBytes = std::int64_t{512} * 1024 * 1024;

/// Bounds what the peers of a server can make it hold: memory, threads, calls per connection and
/// metadata. Connections that do not finish the handshake within 20 s, or that have no call for 10
/// minutes, are closed. `name` is that of the quota.
void LimitPeers(grpc::ServerBuilder& builder, const char* name);

}  // namespace evenkeel::protocol
