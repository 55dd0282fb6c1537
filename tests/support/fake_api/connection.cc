#include "tests/support/fake_api/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "core/base/check.h"

namespace evenkeel::support {
namespace {

struct Freed {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

std::unique_ptr<BIO, Freed> Reader(const std::string& pem) {
  return std::unique_ptr<BIO, Freed>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

std::unique_ptr<X509, Freed> CertificateOf(const std::string& pem) {
  std::unique_ptr<X509, Freed> certificate(
      PEM_read_bio_X509(Reader(pem).get(), nullptr, nullptr, nullptr));
  EVENKEEL_CHECK(certificate != nullptr, "the fake server's certificate must be PEM");
  return certificate;
}

bool IsReady(int socket, short events, int milliseconds) {
  pollfd waiting{socket, events, 0};
  return poll(&waiting, 1, milliseconds) > 0 && waiting.revents != 0;
}

void Set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof(value));
}

/// An address of either family, as bind() wants it.
struct LocalAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  LocalAddress(const std::string& text, std::uint16_t port) {
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
    auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
    if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
      v4->sin_family = AF_INET;
      v4->sin_port = htons(port);
      size = sizeof(*v4);
      return;
    }
    EVENKEEL_CHECK(inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1, "no IP address");
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    size = sizeof(*v6);
  }
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

}  // namespace

Listener::Listener(const std::string& address, std::uint16_t port) {
  LocalAddress local(address, port);
  socket_ = socket(local.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Set(socket_, SOL_SOCKET, SO_REUSEADDR, 1);
  EVENKEEL_CHECK(bind(socket_, local.get(), local.size) == 0, "the fake server's port is taken");
  EVENKEEL_CHECK(listen(socket_, 128) == 0, "the fake server cannot listen");
  sockaddr_in6 bound{};
  socklen_t size = sizeof(bound);
  getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &size);
  port_ = ntohs(bound.sin6_port);  // at the same place in both families
}

Listener::~Listener() { close(socket_); }

int Listener::Accept() const {
  if (!IsReady(socket_, POLLIN, 100)) return -1;
  return accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
}

ServerTls::ServerTls(const std::string& certificate_pem, const std::string& key_pem,
                     const std::string& client_ca_pem)
    : context_(SSL_CTX_new(TLS_server_method())) {
  SSL_CTX_use_certificate(context_, CertificateOf(certificate_pem).get());
  const std::unique_ptr<EVP_PKEY, Freed> key(
      PEM_read_bio_PrivateKey(Reader(key_pem).get(), nullptr, nullptr, nullptr));
  EVENKEEL_CHECK(SSL_CTX_use_PrivateKey(context_, key.get()) == 1, "key and certificate differ");
  if (client_ca_pem.empty()) return;
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), CertificateOf(client_ca_pem).get());
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
}

ServerTls::~ServerTls() { SSL_CTX_free(context_); }

Connection::Connection(int socket, const ServerTls* tls) : socket_(socket) {
  Set(socket_, IPPROTO_TCP, TCP_NODELAY, 1);
  if (tls == nullptr) return;
  tls_ = SSL_new(tls->context());
  SSL_set_fd(tls_, socket_);
}

Connection::~Connection() {
  SSL_free(tls_);
  close(socket_);
}

bool Connection::Open() { return tls_ == nullptr || SSL_accept(tls_) == 1; }

bool Connection::Read(std::string& buffer) {
  std::array<char, 16384> piece{};
  const auto count = tls_ == nullptr ? recv(socket_, piece.data(), piece.size(), 0)
                                     : SSL_read(tls_, piece.data(), static_cast<int>(piece.size()));
  if (count <= 0) return false;
  buffer.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

bool Connection::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = tls_ == nullptr
                           ? send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL)
                           : SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()));
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Connection::PeerIsGone() const { return IsReady(socket_, POLLRDHUP, 0); }

void Connection::ResetAtEnd() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

void Connection::Shutdown() { shutdown(socket_, SHUT_RDWR); }

}  // namespace evenkeel::support
