#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/security/tls_certificate_provider.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/protocol/transport_settings.h"

namespace evenkeel::protocol {

/// Paths of PEM files.
struct TlsPaths {
  std::string ca;
  std::string certificate;
  std::string key;
};

/// Reads an identity from files again and again, on a thread of its own, so that certificates are
/// renewed without a restart. Files that do not fit together leave the identity as it was.
/// Thread-safe; credentials made from it share it.
class WatchedTlsFiles {
 public:
  explicit WatchedTlsFiles(const TlsPaths& paths,
                           std::chrono::seconds interval = std::chrono::seconds(10));

  [[nodiscard]] const std::shared_ptr<grpc::experimental::FileWatcherCertificateProvider>&
  provider() const {
    return provider_;
  }

 private:
  std::shared_ptr<grpc::experimental::FileWatcherCertificateProvider> provider_;
};

/// Server credentials that accept only clients whose certificate our CA has signed; insecure ones
/// without an identity.
[[nodiscard]] std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(
    const std::optional<TlsIdentity>& tls);

/// Client credentials that accept only servers whose certificate our CA has signed and that have
/// the expected name; insecure ones without an identity.
[[nodiscard]] std::shared_ptr<grpc::ChannelCredentials> ChannelCredentialsOf(
    const std::optional<TlsIdentity>& tls);

}  // namespace evenkeel::protocol
