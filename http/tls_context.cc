#include "http/tls_context.h"

#include <openssl/ssl.h>

namespace evenkeel::http {
namespace {

using Context = boost::asio::ssl::context;

/// Largest chain of certificates that a peer may send.
constexpr long kMaxChainBytes = 32 * 1024;

TlsContext MakeContext(Context::method method) {
  auto context = std::make_shared<Context>(method);
  context->set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 |
                       Context::no_tlsv1 | Context::no_tlsv1_1);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // of idle connections
  SSL_CTX_set_max_cert_list(native, kMaxChainBytes);
  return context;
}

}  // namespace

Result<TlsContext> MakeServerContext(const HttpIdentity& identity) {
  TlsContext context = MakeContext(Context::tls_server);
  boost::system::error_code error;
  context->use_certificate_chain(boost::asio::buffer(identity.certificate_pem), error);
  if (!error) {
    context->use_private_key(boost::asio::buffer(identity.key_pem), Context::pem, error);
  }
  if (error) return InvalidInput("the certificate for HTTPS is invalid: " + error.message());
  return context;
}

Result<TlsContext> MakeClientContext() { return MakeContext(Context::tls_client); }

Result<TlsContext> MakeClientContext(const std::string& ca_pem) {
  TlsContext context = MakeContext(Context::tls_client);
  boost::system::error_code error;
  context->set_verify_mode(boost::asio::ssl::verify_peer, error);
  if (!error) context->add_certificate_authority(boost::asio::buffer(ca_pem), error);
  if (error) return InvalidInput("the certificate authority is invalid: " + error.message());
  return context;
}

}  // namespace evenkeel::http
