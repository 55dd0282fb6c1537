#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/time.h"

/// Settings that both ends of the stream share.
namespace evenkeel::protocol {

class WatchedTlsFiles;

/// Our certificate and key and the trusted CA, as PEM texts. Both ends must present a certificate
/// that `ca_pem` signed.
struct TlsIdentity {
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
  /// If set, what its files contain counts instead of the texts, for connections that begin after
  /// a change; those that are open go on.
  std::shared_ptr<const WatchedTlsFiles> files{};
};

/// Keepalive of HTTP/2: a silent connection is pinged after `interval` and closed if there is no
/// answer within `timeout`.
struct KeepAlive {
  Duration interval = std::chrono::seconds(10);
  Duration timeout = std::chrono::seconds(8);
};

/// Traffic of the streams. Bytes are those of the messages, without framing and encryption.
struct Traffic {
  std::int64_t messages_sent = 0;  ///< engine messages; each part of a split report counts
  std::int64_t messages_received = 0;
  std::int64_t writes = 0;  ///< writes that sent these messages
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
};

/// Counts traffic from any thread.
class TrafficCounter {
 public:
  void Sent(int messages, std::size_t bytes) {
    messages_sent_ += messages;
    bytes_sent_ += static_cast<std::int64_t>(bytes);
    ++writes_;
  }
  void Received(int messages, std::size_t bytes) {
    messages_received_ += messages;
    bytes_received_ += static_cast<std::int64_t>(bytes);
  }
  [[nodiscard]] Traffic Read() const {
    return {messages_sent_, messages_received_, writes_, bytes_sent_, bytes_received_};
  }

 private:
  std::atomic<std::int64_t> messages_sent_{0};
  std::atomic<std::int64_t> messages_received_{0};
  std::atomic<std::int64_t> writes_{0};
  std::atomic<std::int64_t> bytes_sent_{0};
  std::atomic<std::int64_t> bytes_received_{0};
};

/// A peer with more queued bytes than this is too slow and is disconnected.
inline constexpr std::int64_t kMaxQueuedBytes = 64 * 1024 * 1024;

/// Redirects gRPC's log to ours at debug level, because unauthenticated peers could flood it. Later
/// calls have no effect.
void RouteGrpcLog();

}  // namespace evenkeel::protocol
