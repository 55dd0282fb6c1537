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
  std::size_t max_connections = 64;   ///< further ones are closed at once
  Duration request_timeout = std::chrono::seconds(10);  ///< until a request is there as a whole
  Duration idle_timeout = std::chrono::seconds(60);     ///< between requests
  Duration write_timeout = std::chrono::seconds(30);    ///< for a peer to take the next piece
};

/// A small HTTP/1.1 server. All that a peer can make it keep is bounded: connections, the size of a
/// request (16 KiB of headers, 16 KiB of body, which is dropped) and each wait. Thread-safe.
class HttpServer {
 public:
  /// Listens; `handler` must live until the server is gone. kInvalidInput: the address or the
  /// certificate makes no sense; kUnavailable: the address cannot be had.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options,
                                                                 HttpHandler& handler);
  /// Cuts all connections and waits for handlers that run.
  virtual ~HttpServer() = default;

  [[nodiscard]] virtual std::uint16_t Port() const = 0;
};

}  // namespace evenkeel::http
