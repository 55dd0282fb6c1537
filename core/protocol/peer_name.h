#pragma once

#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
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

}  // namespace evenkeel::protocol
