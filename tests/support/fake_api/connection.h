#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace evenkeel::support {

/// A listening socket on a local address. Stop() from any thread; the rest from one.
class Listener {
 public:
  /// Port 0: any free one. Ends the test program if the port cannot be had.
  Listener(const std::string& address, std::uint16_t port);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// The next connection; -1 if none came within a tenth of a second.
  [[nodiscard]] int Accept() const;

 private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

/// TLS of a server; one for all its connections.
class ServerTls {
 public:
  /// PEM texts; with `client_ca_pem` clients must show a certificate.
  ServerTls(const std::string& certificate_pem, const std::string& key_pem,
            const std::string& client_ca_pem);
  ~ServerTls();
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  [[nodiscard]] ssl_ctx_st* context() const { return context_; }

 private:
  ssl_ctx_st* context_;
};

/// One connection, blocking, plain or with TLS. Shutdown() from any thread; the rest from one.
class Connection {
 public:
  /// Owns `socket`; `tls` may be null.
  Connection(int socket, const ServerTls* tls);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The handshake, if there is one. False: it failed.
  [[nodiscard]] bool Open();
  /// Appends what comes next. False: the other side is gone.
  [[nodiscard]] bool Read(std::string& buffer);
  [[nodiscard]] bool Write(std::string_view bytes);
  [[nodiscard]] bool PeerIsGone() const;
  /// The connection will be reset, not closed, when this object goes.
  void ResetAtEnd();
  /// Wakes reads and writes, which fail from now on.
  void Shutdown();

 private:
  int socket_;
  ssl_st* tls_ = nullptr;
};

}  // namespace evenkeel::support
