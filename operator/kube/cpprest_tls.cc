#include "operator/kube/cpprest_tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <stdexcept>
#include <string>

namespace evenkeel::kube {
namespace {

struct Freed {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_STORE* store) const { X509_STORE_free(store); }
};

/// A store with the certificates of a PEM text, none of the system's.
std::unique_ptr<X509_STORE, Freed> StoreOf(const std::string& ca_pem) {
  std::unique_ptr<X509_STORE, Freed> store(X509_STORE_new());
  const std::unique_ptr<BIO, Freed> text(
      BIO_new_mem_buf(ca_pem.data(), static_cast<int>(ca_pem.size())));
  bool any = false;
  while (const std::unique_ptr<X509, Freed> certificate{
      PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_cert(store.get(), certificate.get());
    any = true;
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!any || !at_end) throw std::runtime_error("the CA must be certificates in PEM form");
  // What is given is trusted, even if it is not the root of its chain.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  return store;
}

/// Without this OpenSSL would ask for the pass phrase on the terminal.
int NoPassPhrase(char*, int, int, void*) { return 0; }

void ShowCertificate(boost::asio::ssl::context& context, const TlsSettings& settings) {
  if (settings.certificate_pem.empty() && settings.key_pem.empty()) return;
  SSL_CTX_set_default_passwd_cb(context.native_handle(), NoPassPhrase);
  try {
    context.use_certificate_chain(boost::asio::buffer(settings.certificate_pem));
  } catch (const std::exception&) {
    throw std::runtime_error("the client certificate is no certificate in PEM form");
  }
  try {
    context.use_private_key(boost::asio::buffer(settings.key_pem), boost::asio::ssl::context::pem);
  } catch (const std::exception&) {
    throw std::runtime_error(
        "the client key is no key in PEM form without pass phrase, or not the certificate's");
  }
}

void SetUp(boost::asio::ssl::context& context, const TlsSettings& settings) {
  SSL_CTX* const native = context.native_handle();
  if (SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1) {
    throw std::runtime_error("TLS 1.2 is not available");
  }
  // In any case, so that without a CA nobody is trusted rather than everybody.
  SSL_CTX_set_cert_store(
      native, settings.ca_pem.empty() ? X509_STORE_new() : StoreOf(settings.ca_pem).release());
  ShowCertificate(context, settings);
}

}  // namespace

Result<std::function<void(boost::asio::ssl::context&)>> MakeTlsSetup(const TlsSettings& settings) {
  if (settings.ca_pem.empty() && !settings.skip_verification) {
    return InvalidInput("TLS: a CA is needed to know the server by");
  }
  try {
    boost::asio::ssl::context trial(boost::asio::ssl::context::sslv23);
    SetUp(trial, settings);
  } catch (const std::exception& failure) {
    return InvalidInput(std::string("TLS: ") + failure.what());
  }
  return [settings](boost::asio::ssl::context& context) { SetUp(context, settings); };
}

}  // namespace evenkeel::kube
