#pragma once

#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/model/worker_identity.h"

namespace evenkeel::protocol {

/// True if the certificate of the peer has this DNS name. TLS has already checked that our CA
/// signed the certificate.
[[nodiscard]] inline bool PeerHasName(const grpc::ServerContextBase& context,
                                      const std::string& name) {
  const auto names = context.auth_context()->FindPropertyValues(GRPC_PEER_DNS_PROPERTY_NAME);
  return std::any_of(names.begin(), names.end(),
                     [&name](const grpc::string_ref& found) { return found == name; });
}

/// The worker that the certificate of the peer names. Nothing unless the certificate has exactly
/// one URI and that is one of a worker.
[[nodiscard]] inline std::optional<model::WorkerIdentity> PeerWorker(
    const grpc::ServerContextBase& context) {
  const auto uris = context.auth_context()->FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME);
  if (uris.size() != 1) return std::nullopt;
  return model::ParseWorkerUri({uris.front().data(), uris.front().size()});
}

/// "ipv4:10.0.0.7:41234" and port 5000 give "10.0.0.7:5000"; empty for other kinds of peers.
[[nodiscard]] inline std::string AddressOfPeer(const std::string& peer, std::uint32_t port) {
  const std::size_t kind = peer.find(':');
  const std::size_t end = peer.rfind(':');
  const bool internet = peer.starts_with("ipv4:") || peer.starts_with("ipv6:");
  if (port == 0 || port > 65535 || !internet || end <= kind) return {};
  std::string host = peer.substr(kind + 1, end - kind - 1);
  // gRPC escapes the brackets of IPv6 addresses as in a URI.
  if (host.starts_with("%5B")) host = "[" + host.substr(3, host.size() - 6) + "]";
  return host + ":" + std::to_string(port);
}

}  // namespace evenkeel::protocol
