#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/time.h"

/// What both ends of the stream agree on.
namespace evenkeel::protocol {

/// Who we are and whom we trust, as PEM texts. Both ends must show a certificate that `ca_pem`
/// signed.
struct TlsIdentity {
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
};

/// How a dead peer is noticed: a silent connection is asked after `interval` and given up when
/// there is no answer for `timeout`.
struct KeepAlive {
  Duration interval = std::chrono::seconds(10);
  Duration timeout = std::chrono::seconds(8);
};

/// What went over the streams. Bytes are those of the messages, without framing and encryption.
struct Traffic {
  std::int64_t messages_sent = 0;  ///< engine messages; a large report counts once a part
  std::int64_t messages_received = 0;
  std::int64_t writes = 0;  ///< messages sent travel in so many writes
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

/// More than this waiting for one peer means that it does not keep up: it is cut off.
inline constexpr std::int64_t kMaxQueuedBytes = 64 * 1024 * 1024;

/// Sends gRPC's own log to ours at debug level: strangers must not be able to fill ours. Once a
/// process; later calls do nothing.
void RouteGrpcLog();

}  // namespace evenkeel::protocol
