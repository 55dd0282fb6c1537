#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/time.h"
#include "http/http_message.h"

namespace evenkeel::http {

struct HttpIdentity {
  std::string certificate_pem;
  std::string key_pem;
};

struct HttpServerOptions {
  std::string address;                ///< "IP:PORT" or "[IP]:PORT"; port 0: any that is free
  std::optional<HttpIdentity> https;  ///< without it plain HTTP
  int threads = 1;                    ///< handlers that run at the same time
  /// Beyond these, a new connection replaces the one that has been idle longest: of the same
  /// address if that has its maximum, else of all. A connection whose request is being answered
  /// stays.
  std::size_t max_connections = 64;
  std::size_t max_connections_per_address = 16;
  /// For a TLS handshake; for the header of a request from its first byte on; for its body.
  Duration request_timeout = std::chrono::seconds(10);
  Duration idle_timeout = std::chrono::seconds(60);   ///< between requests
  Duration write_timeout = std::chrono::seconds(30);  ///< for a peer to take the next piece
};

/// A small HTTP/1.1 server. All that a peer can make it keep is bounded: connections, the size of a
/// request (16 KiB of headers, 16 KiB of body) and each wait; a response must also be taken at 4
/// KiB/s on average. Thread-safe.
class HttpServer {
 public:
  /// Listens; `handler` must live until the server is gone. kInvalidInput: the address or the
  /// certificate makes no sense; kUnavailable: the address cannot be had.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                                 HttpHandler& handler);
  /// Cuts all connections and waits for handlers that run.
  virtual ~HttpServer() = default;

  [[nodiscard]] virtual std::uint16_t Port() const = 0;

  /// Shows another certificate to connections that begin from now on; those that are open go on.
  /// kInvalidInput, and the identity before stays, if the new one is unusable or there was none.
  [[nodiscard]] virtual Result<void> UseIdentity(const HttpIdentity& identity) = 0;
};

}  // namespace evenkeel::http
