#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/time.h"

namespace evenkeel::http {

/// Whom to call, and how to know that it is the right one.
struct HttpPeer {
  std::string address;      ///< "IP:PORT" or "[IP]:PORT"
  std::string ca_pem;       ///< the only authorities that are trusted, PEM; empty: plain HTTP
  std::string server_name;  ///< that the certificate must have

  friend auto operator<=>(const HttpPeer&, const HttpPeer&) = default;
  friend bool operator==(const HttpPeer&, const HttpPeer&) = default;
};

/// Takes the next bytes of a body; `total` is what the peer says the whole body has, if it does. An
/// error ends the call with it.
using OnBody =
    std::function<Result<void>(std::string_view bytes, std::optional<std::uint64_t> total)>;

struct HttpCall {
  HttpPeer peer;
  std::string method;         ///< "GET", "PUT": must be safe to repeat
  std::string target;         ///< path and query
  std::string authorization;  ///< value of the header; empty: none
  std::string body{};         ///< JSON; empty: none
  std::uint64_t max_body_bytes = 512U << 10;
  /// From Send() to the last byte of the answer; empty: no limit, then max_silence is one.
  std::optional<Duration> timeout = std::chrono::seconds(5);
  /// Without a byte from the peer.
  std::optional<Duration> max_silence = {};
  /// Called on the client's thread with the body of an answer of status 200, piece by piece; empty:
  /// the body is in the reply. Other bodies are in the reply, cut at 4 KiB.
  OnBody on_body = {};
};

struct HttpReply {
  int status = 0;
  std::string body;
};

struct HttpClientLimits {
  std::size_t max_header_bytes = 16U << 10;
  std::size_t max_calls = 256;            ///< under way at a time; further ones fail at once
  std::size_t max_idle_connections = 32;  ///< kept for further calls; the oldest goes first
  Duration idle_timeout = std::chrono::seconds(20);
};

/// An HTTP/1.1 client for peers that may be hostile: whatever they send, a call ends within its
/// time and takes no more memory than its limits say. One thread serves all calls; connections are
/// reused. Names are not resolved, redirections are not followed. Thread-safe.
class HttpClient {
 public:
  using OnReply = std::function<void(Result<HttpReply>)>;

  explicit HttpClient(const HttpClientLimits& limits = {});
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  /// Returns at once. `on_reply` is called exactly once, on the client's thread or, after Stop(),
  /// within this call; it must not block. Errors: kInvalidInput (the peer's address or
  /// authorities), kUnavailable (no whole answer in time; one line says why), kInternal (an
  /// answer beyond the limits of size),
  /// those of `on_body`.
  void Send(HttpCall call, OnReply on_reply);

  /// The same for callers that may wait. `is_cancelled`, if there is one, is asked four times a
  /// second; the call ends with kUnavailable once it says yes. Not from a callback.
  [[nodiscard]] Result<HttpReply> SendAndWait(HttpCall call,
                                              const std::function<bool()>& is_cancelled = {});

  /// Ends all calls with an error. No callback runs any more once it has returned.
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::http
