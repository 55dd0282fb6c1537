#include "core/protocol/tls_credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/tls_credentials_options.h>

namespace evenkeel::protocol {

using grpc::experimental::FileWatcherCertificateProvider;

WatchedTlsFiles::WatchedTlsFiles(const TlsPaths& paths, std::chrono::seconds interval)
    : provider_(std::make_shared<FileWatcherCertificateProvider>(
          paths.key, paths.certificate, paths.ca, static_cast<unsigned>(interval.count()))) {}

std::shared_ptr<grpc::ServerCredentials> ServerCredentialsOf(
    const std::optional<TlsIdentity>& tls) {
  constexpr auto kRequest = GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
  if (!tls) return grpc::InsecureServerCredentials();
  if (tls->files) {
    grpc::experimental::TlsServerCredentialsOptions options(tls->files->provider());
    options.watch_root_certs();
    options.watch_identity_key_cert_pairs();
    options.set_cert_request_type(kRequest);
    return grpc::experimental::TlsServerCredentials(options);
  }
  grpc::SslServerCredentialsOptions options(kRequest);
  options.pem_root_certs = tls->ca_pem;
  options.pem_key_cert_pairs.push_back({tls->key_pem, tls->certificate_pem});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> ChannelCredentialsOf(
    const std::optional<TlsIdentity>& tls) {
  if (!tls) return grpc::InsecureChannelCredentials();
  if (tls->files) {
    grpc::experimental::TlsChannelCredentialsOptions options;
    options.set_certificate_provider(tls->files->provider());
    options.watch_root_certs();
    options.watch_identity_key_cert_pairs();
    return grpc::experimental::TlsCredentials(options);
  }
  return grpc::SslCredentials({tls->ca_pem, tls->key_pem, tls->certificate_pem});
}

}  // namespace evenkeel::protocol
